// A combobox of the strict kind: the suggestions are thrown away and rebuilt on every keystroke, and a text that
// is not one of them is wiped when the field loses focus.
const list = document.getElementById('city-list');
const box = document.querySelector('[role=combobox]');
const cities = JSON.parse(list.dataset.cities);
let active = -1;
const options = () => [...list.children];
function mark(index) {
  active = index;
  options().forEach((li, i) => li.setAttribute('aria-selected', String(i === index)));
  if (index >= 0) box.setAttribute('aria-activedescendant', options()[index].id);
  else box.removeAttribute('aria-activedescendant');
}
function close() {
  list.hidden = true;
  list.replaceChildren();
  box.setAttribute('aria-expanded', 'false');
  mark(-1);
}
function choose(name) {
  box.value = name;
  close();
}
function open() {
  const start = box.value.trim().toLowerCase();
  const found = start ? cities.filter((city) => city.toLowerCase().startsWith(start)) : [];
  list.replaceChildren(...found.map((city, i) => {
    const li = document.createElement('li');
    li.id = `city-${i}`;
    li.setAttribute('role', 'option');
    li.textContent = city;
    li.addEventListener('mousedown', (event) => event.preventDefault());
    li.addEventListener('click', () => choose(city));
    return li;
  }));
  list.hidden = !found.length;
  box.setAttribute('aria-expanded', String(!!found.length));
  mark(-1);
}
box.addEventListener('input', open);
box.addEventListener('keydown', (event) => {
  if (list.hidden) return;
  const count = options().length;
  if (event.key === 'ArrowDown') mark((active + 1) % count);
  else if (event.key === 'ArrowUp') mark((active + count - 1) % count);
  else if (event.key === 'Enter' && active >= 0) choose(options()[active].textContent);
  else if (event.key === 'Escape') close();
  else if (event.key !== 'Enter') return;
  event.preventDefault();
});
box.addEventListener('blur', () => {
  if (!cities.includes(box.value)) box.value = '';
  close();
});
