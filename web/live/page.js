// The viewer's page: the link's ticket is in the fragment, which no server sees.
import '../elements/live-view.js';

const view = /** @type {import('../elements/live-view.js').LiveView} */ (document.querySelector('porthole-live-view'));

function connect() {
  view.src = location.href;
}

addEventListener('hashchange', connect);
connect();

view.addEventListener('porthole-navigated', (event) => {
  const { title, url } = /** @type {CustomEvent} */ (event).detail;
  document.title = `${title || url || 'Live view'} - Porthole`;
});

// Where the browser lays its keyboard over the page, the viewer keeps to what is seen.
const { visualViewport } = window;
visualViewport?.addEventListener('resize', () => {
  const covered = innerHeight - visualViewport.height > 80 && visualViewport.scale === 1;
  document.documentElement.style.setProperty('--visible', covered ? `${visualViewport.height}px` : '100dvh');
  if (covered) scrollTo(0, 0);
});
