import './style.css';
import { SearchBox } from './search-box.js';

const box = document.querySelector<HTMLElement>('.search');
if (box) new SearchBox(box).start();

// The list of pages is long, so it is scrolled to the entry of the current page.
const pages = document.querySelector<HTMLElement>('.side');
const current = pages?.querySelector<HTMLElement>('[aria-current]');
if (pages && current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
