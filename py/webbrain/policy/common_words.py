"""Words that tell nothing about the page they were read on: what every address and every search is made of.

One list for ``policy.taint``. A word in it never counts as carried text, alone or in company of others like
it.
"""

from typing import Final

_WORDS: Final = """
a about above accept account accounts action active activity add added address admin after again album alert
all also amount an and android answer any api app application applications apps april archive are area
around article articles as asp aspx asset assets async at august author auto available avatar award back
balance banner base basic basket be because been before begin below best beta between billing blob blog
blogs board body book books both bottom brand browse browser build but button buy by ca cache calendar call
campaign can cart case cat catalog categories category center centre cgi change changes channel chapter
chart chat check checkout child choose city class clear click client close cloud co code collection
collections color colour column com comment comments commit commits common community company compare
component components config configuration confirm connect contact contacts content contents continue cookie
cookies copy core could count country course create created credit css current custom customer customers
dashboard data database date day days de december default delete delivery demo description design desktop
detail details dev developer developers device devices dictionary digital directory discover discussion
display do doc docs document documentation documents does domain down download downloads draft each edit
edition editor edu education electronics email empty en end english entries entry error es eu event events
every example examples excel explore export extension external faq fashion favorites fbclid feature features
february feed feedback few field fields figure file files filter find first folder follow font footer for
form format forum forums fr free friday friend from full function gallery game games gclid general generator
get getting gif github global go good google gov graph great group groups guide guides had has have header
health height help here hidden history home hotel hotels hour hours how htm html http https ico icon id if
image images import in include index info information input insert install installation instructions
international internet into introduction io is issue issues it item items its january job jobs journal jp
jpeg jpg js json jsp july june just key keys keyword label lang language languages last latest layout learn
less lesson letter level library license light like limit line link links list local locale location log
login logo logout long made mail main make manage management manager manual many map maps march market
marketplace master match may me media medium member members men menu message messages method mobile mode
model modern module modules monday month more most movie movies mp3 mp4 music my name navigation near need
net network new news newsletter next nl no not note notes notification november now number object october of
off offer offers office official offset old on one online only open option options or order orders org
organization original other our out output over overview own owner package packages page pages parameter
parameters part partner password payment pdf people per person personal phone photo photos php picture
pictures pl place plan please plugin png policy popular portal position post posts preview previous price
prices pricing print privacy private process product products profile profiles program project projects
property provider public publication published purchase put python query question questions quick quote
random range rate rating ratings raw read reader recent recipe recipes recommended record records redirect
ref reference references region register registration related release releases remote remove report reports
repository request requests research reset resource resources response result results return returns review
reviewer reviews right room root row rss ru rule rules sale sales same sample saturday save saved schedule
school science score screen script scripts se search section sections secure security see select self send
september series server service services session set settings setup share shipping shop shopping should show
side sign signin signup since site sitemap size skip small so social software solutions some sort source
sources special sport sports stable standard star start state static statistics status step steps still
stock store stores story stream style styles subject submit subscribe such summary sunday support svg system
tab table tag tags take target task tasks team teams technology template templates term terms test tests
text than that the their them theme then there these they this thread threads three thursday ticket tickets
time title to today token tool tools top topic topics total tracking training translate travel tree trending
tuesday tutorial tutorials two txt type types uk under unknown up update updated updates upload url us use
user users using utm value values version versions very via video videos view views visit want was watch way
we weather web webp website wednesday week were what when where which while who why wiki wikipedia will
window windows wishlist with women word words work world would write www xml year years yes you your zip
"""

COMMON: Final = frozenset(_WORDS.split())
