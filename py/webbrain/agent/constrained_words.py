"""Words by which the gates of constrained calls read a task: English, German, French, Spanish, Italian,
Portuguese.

The lists are small on purpose. They decide only what is offered to a small model at a step: a word that is
missing makes a gate less helpful, never wrong about the page. Words of one language mean other things in
the next ("no" is "in the" in Portuguese, "once" is eleven in Spanish), so the language of the task is found
first.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WORDS_LOOKED_AT: Final = 80
"""Words of a task by which its language is told."""
NEGATED_CHARS: Final = 40
"""How far a negation reaches."""

_WORD = re.compile(r"[^\W\d_]+(?:'(?=[^\W\d_]))?")


@dataclass(frozen=True, slots=True)
class Words:
    """What is said in one language, as patterns of whole words."""

    common: frozenset[str]
    """Words that hardly occur in the other languages: they tell this one."""
    selection: re.Pattern[str]
    """The text that the user has marked."""
    back: re.Pattern[str]
    forward: re.Pattern[str]
    sending: re.Pattern[str]
    """Verbs after which a form is sent."""
    not_sending: re.Pattern[str]
    """A negation and what it is about."""
    repeating: re.Pattern[str]
    """That something is to be done more than once."""
    joining: re.Pattern[str]
    """That something else follows."""
    undoing: re.Pattern[str]
    """The label of a button that throws away what was done."""
    naming: re.Pattern[str]
    """The label of a field for a person's name."""
    question: re.Pattern[str]
    """How a task begins that wants to know something and change nothing."""
    numbers: tuple[str, ...]
    """One to twelve; ``-`` where the word is also an article."""
    dozen: str


def _words(
    *,
    common: str,
    selection: str,
    back: str,
    forward: str,
    sending: str,
    negations: str,
    repeating: str,
    joining: str,
    undoing: str,
    naming: str,
    question: str,
    numbers: str,
    dozen: str,
    negates_before: bool = False,
) -> Words:
    negation, reach = _any(negations), NEGATED_CHARS
    negated = rf"\b{negation}\b[^.]{{0,{reach}}}"
    if negates_before:
        negated = rf"[^.,;!?]{{0,{reach}}}\b{negation}\b[^.,;!?]{{0,{reach}}}"
    return Words(
        common=frozenset(common.split()),
        selection=_whole(selection),
        back=_whole(back),
        forward=_whole(forward),
        sending=_whole(sending),
        not_sending=re.compile(negated, re.IGNORECASE),
        repeating=_whole(repeating),
        joining=_whole(joining),
        undoing=_whole(undoing),
        naming=_whole(naming),
        question=re.compile(rf"[?\uff1f\u00bf]|^\s*{_any(question)}\b", re.IGNORECASE),
        numbers=tuple(numbers.split()),
        dozen=dozen,
    )


def _any(words: str) -> str:
    """One of some words, which stand apart by blanks; a blank within one is written ``_``."""
    return f"(?:{'|'.join(words.split())})".replace("_", " ")


def _whole(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_any(words)}\b", re.IGNORECASE)


ENGLISH: Final = _words(
    common="the and of to with for is are in on my your please this that what which order write enter",
    selection="select(?:ed|ion) highlighted marked",
    back="back previous return_to",
    forward="forward",
    sending="""
        order buy book purchase submit send sign_(?:in|up) log_?in register save search apply reserve
        place pay post subscribe create confirm join
    """,
    negations="not? don't never without nothing",
    repeating=r"twice times again until each every all more repeatedly",
    joining="and then after",
    naming=r"name guest",
    undoing=r"cancel reset discard restore undo clear",
    question="""
        what who when where which why how is are does do can tell find list name summari[sz]e read say
        show explain describe compare check give
    """,
    numbers="one two three four five six seven eight nine ten eleven twelve",
    dozen="dozen",
)

LANGUAGES: Final[Mapping[str, Words]] = {
    "en": ENGLISH,
    "de": _words(
        common="""
            der die das den dem des ein eine einen einem und oder mit für ist sind im am zum zur auf ich
            mein bitte nicht aus bei von wie was welche welcher diese dieser suche schreibe trage wähle
            öffne klicke
        """,
        selection=r"markiert\w* ausgewählt\w* auswahl markierung",
        back="zurück vorherige[nrs]? vorige[nrs]?",
        forward="vor vorwärts nächste_seite",
        sending=r"""
            bestell\w* kauf(?:e|en|st) buchen? absenden sende\w* abschicken schick\w* einreichen reiche
            anmelden melde registrier\w* speicher\w* such(?:e|en|st) bewirb bewerben reservier\w*
            bezahl\w* veröffentlich\w* poste\w* abonnier\w* erstell\w* bestätig\w* einloggen logge
        """,
        negations=r"nicht nichts kein\w* ohne niemals nie",
        repeating=r"zweimal dreimal \d+_?mal nochmals? wieder(?:holt)? bis jede\w* alle\w* mehrmals",
        joining="und dann danach",
        naming=r"name vorname nachname gast",
        undoing=r"abbrechen zurücksetzen verwerfen wiederherstell\w* rückgängig leeren",
        question="""
            was wer wann wo welche[rsnm]? warum wieso wie ist sind gibt_es kann sag sage finde nenne liste
            fasse lies zeig zeige erkläre beschreibe vergleiche prüfe gib
        """,
        numbers="- zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        dozen="dutzend",
        negates_before=True,
    ),
    "fr": _words(
        common="""
            le la les un une des du et ou avec pour est sont dans sur au aux mon ma mes votre vos ce cette
            ces je vous quel quelle écris écrivez mets mettez choisis choisissez ouvre ouvrez pas ne
        """,
        selection=r"sélectionné\w* sélection surligné\w*",
        back=r"retour retourne[rz]? revien\w* reveni\w* précédente?",
        forward="avance[rz]? suivante?",
        sending=r"""
            command(?:e|er|ez) achet\w* achèt\w* réserv\w* envoi\w* envoy\w* soumet\w* valid(?:e|er|ez)
            connect\w* inscri\w* enregistr\w* sauvegard\w* cherch\w* recherch\w* postul\w* pay(?:e|er|ez)
            paie publi(?:e|er|ez) abonn\w* cré(?:e|er|ez) confirm(?:e|er|ez)
        """,
        negations="ne n' pas sans jamais rien",
        repeating=r"fois encore jusqu' chaque tou(?:s|tes)",
        joining="et puis ensuite",
        naming=r"nom prénom",
        undoing=r"annuler réinitialiser rétablir effacer vider",
        question=r"""
            que quel\w* qui quand où pourquoi comment combien est-ce est sont y_a-t-il peut dis dites
            trouve trouvez liste listez nomme résume résumez lis lisez montre montrez explique expliquez
            décris compare vérifie donne donnez
        """,
        numbers="- deux trois quatre cinq six sept huit neuf dix onze douze",
        dozen="douzaine",
    ),
    "es": _words(
        common="""
            el la los las un una unos unas y o con para es son en del al mi mis su sus por favor este esta
            qué cuál escribe escriba pon elige elija abre abra campo que
        """,
        selection=r"seleccionad\w* selección marcad\w* resaltad\w*",
        back=r"atrás vuelve volver vuelva anterior\w* regres\w*",
        forward="adelante siguiente",
        sending=r"""
            pide pida pedir encarg\w* compr\w* reserv\w* envía\w* envia\w* envíe\w* mand(?:a|ar|e)
            registr\w* regístr\w* inicia\w*_sesión guard\w* busc\w* busqu\w* solicit\w* pag(?:a|ar|ue)
            publi\w* suscr\w* cre(?:a|ar|e) confirm\w* únete unirse
        """,
        negations="no sin nunca nada jamás",
        repeating=r"veces otra_vez hasta cada tod[oa]s",
        joining="y e luego después",
        naming=r"nombre apellidos?",
        undoing=r"cancelar restablecer descartar restaurar deshacer vaciar",
        question=r"""
            qué que quién\w* cuándo dónde cuál\w* por_qué cómo cuánt\w* es son hay puede\w* di diga dime
            dígame encuentra lista nombra resume resuma lee lea muestra muestre explica explique describe
            compara comprueba da dame
        """,
        numbers="- dos tres cuatro cinco seis siete ocho nueve diez once doce",
        dozen="docena",
    ),
    "it": _words(
        common="""
            il lo la i gli le un una uno e o con per è sono nel nella del della al alla mio mia tuo questo
            questa che quale scrivi scriva metti scegli scelga apri apra campo di
        """,
        selection=r"selezionat\w* selezione evidenziat\w*",
        back="indietro torna tornare precedente",
        forward=r"avanti successiv\w*",
        sending=r"""
            ordin(?:a|are|i) compr\w* acquist\w* prenot\w* invi(?:a|are|i) mand(?:a|are|i) spedi\w*
            acced\w* registr\w* iscriv\w* salv(?:a|are|i) cerc(?:a|are|hi) candida\w* pag(?:a|are|hi)
            pubblic\w* abbon\w* cre(?:a|are|i) conferm\w*
        """,
        negations="non senza mai niente nulla",
        repeating=r"volte ancora fino ogni tutt[ie]",
        joining="e poi dopo",
        naming=r"nome cognome",
        undoing=r"annulla\w* reimposta\w* ripristina\w* scarta\w* svuota\w*",
        question=r"""
            che cosa chi quando dove quale quali perché come quant\w* è sono c'è ci_sono può dimmi di'
            dica trova elenca nomina riassumi leggi mostra spiega descrivi confronta controlla dammi
        """,
        numbers="- due tre quattro cinque sei sette otto nove dieci undici dodici",
        dozen="dozzina",
    ),
    "pt": _words(
        common="""
            o os as um uma uns umas e ou com para é são em no na nos nas do da dos das ao meu minha seu
            sua este esta você qual escreva escreve coloque escolha abra campo que não
        """,
        selection=r"selecionad\w* seleção destacad\w* marcad\w*",
        back=r"voltar volte volta anterior\w* atrás retorn\w*",
        forward="avançar avance seguinte adiante",
        sending=r"""
            encomend\w* pe[çd][aei]\w* compr\w* reserv\w* envi\w* mand(?:a|ar|e) regist\w* cadastr\w*
            salv\w* guard\w* procur\w* busc\w* busqu\w* pesquis\w* candidat\w* pag(?:a|ar|ue) publi\w*
            assin\w* cri(?:a|ar|e) confirm\w* faça_login inicie_sessão
        """,
        negations="não sem nunca nada jamais",
        repeating=r"vezes outra_vez até cada tod[oa]s",
        joining="e depois então",
        naming=r"nome apelido",
        undoing=r"cancelar repor redefinir descartar restaurar desfazer limpar",
        question=r"""
            que o_que quem quando onde qual quais por_que porquê como quant\w* é são há pode diga diz
            encontre liste nomeie resuma leia mostre explique descreva compare verifique dê dá
        """,
        numbers="- dois três quatro cinco seis sete oito nove dez onze doze",
        dozen="dúzia",
    ),
}
"""By ISO 639-1 code. The English list is the one that was measured with small models."""

MONTHS: Final = (
    "januar|jänner|janvier|enero|gennaio|janeiro",
    "februar|feber|février|febrero|febbraio|fevereiro",
    "märz|mars|marzo|março",
    "avril|abril|aprile",
    "mai|mayo|maggio|maio",
    "juni|juin|junio|giugno|junho",
    "juli|juillet|julio|luglio|julho",
    "août|agosto",
    "septembre|septiembre|setiembre|settembre|setembro",
    "oktober|octobre|octubre|ottobre|outubro",
    "novembre|noviembre|novembro",
    "dezember|décembre|diciembre|dicembre|dezembro",
)
"""Months besides the English names. None of these words means anything else in the other languages."""

VAGUE_DAYS: Final = (
    r"heute|morgen|übermorgen|nächste\w*|kommende\w*|tage?n?|wochen?|monate?n?|jahre?s?"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|aujourd'hui|demain|prochaine?s?|jours?|semaines?|mois|année|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|hoy|mañana|próxim[oa]s?|días?|semanas?|mes(?:es)?|año|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|oggi|domani|prossim[oaie]|giorn[oi]|settiman[ae]|mesi|anno|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica"
    r"|hoje|amanhã|dias?|mês|ano|(?:segunda|terça|quarta|quinta|sexta)-feira"
)
"""Words that name a day without giving its date."""


def of(task: str) -> Words:
    """The words of the task's language; English if it cannot be told."""
    return LANGUAGES[language(task)]


@functools.lru_cache(maxsize=64)
def language(task: str) -> str:
    """The task's language as a key of ``LANGUAGES``: the one that most of its words belong to."""
    words = [word.casefold() for word in _WORD.findall(task)[:WORDS_LOOKED_AT]]
    best, most = "en", 0.0
    score: float
    for code, known in LANGUAGES.items():
        score = sum(word.rstrip("'") in known.common for word in words)
        for gate in (known.sending, known.selection, known.back, known.forward):
            score += 0.5 * len({match[0].casefold() for match in gate.finditer(task)})
        score += 0.5 * bool(known.question.match(task))
        if score > most:
            best, most = code, score
    return best


def number(word: str, task: str) -> int | None:
    """The value of a number word of the task's language, or ``None``."""
    known, word = of(task), word.casefold()
    if word == known.dozen:
        return 12
    return known.numbers.index(word) + 1 if word in known.numbers else None


def number_words(task: str) -> list[int]:
    """The numbers that the task spells out, in its order."""
    known = of(task)
    spelled = "|".join(word for word in (*known.numbers, known.dozen) if word != "-")
    found = re.findall(rf"\b(?:{spelled})\b", task, re.IGNORECASE)
    return [value for word in found if (value := number(word, task)) is not None]
