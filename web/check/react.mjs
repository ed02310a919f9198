// What is bundled for the test of the example for React: the example, and what mounts it.
export { createElement } from 'react';
export { createRoot } from 'react-dom/client';
export { Card, LiveView } from '../../docs/examples/cards-react.mjs';
