// The look that all elements share: colours, buttons, focus. An app sets the custom properties from outside.
import { sheet } from './dom.js';

export const shared = sheet(`
:host {
  --_text: var(--porthole-text, light-dark(#1c2430, #e6eaf0));
  --_muted: var(--porthole-muted, light-dark(#566173, #a3afbf));
  --_surface: var(--porthole-surface, light-dark(#ffffff, #171c24));
  --_raised: var(--porthole-raised, light-dark(#f4f6f9, #202732));
  --_line: var(--porthole-line, light-dark(#d8dee7, #343e4d));
  --_accent: var(--porthole-accent, light-dark(#0b6280, #6cc4e2));
  --_on-accent: var(--porthole-on-accent, light-dark(#ffffff, #07212b));
  --_radius: var(--porthole-radius, 12px);
  --_mono: var(--porthole-mono, ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace);
  color-scheme: light dark;
  display: block;
  min-inline-size: 0;
  color: var(--_text);
  font: var(--porthole-font, 400 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif);
  text-align: start;
}
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([theme="inherit"]) { color-scheme: inherit; }
:host([hidden]) { display: none; }
*, *::before, *::after { box-sizing: border-box; }
.icon {
  inline-size: 1.125rem; block-size: 1.125rem; flex: none; fill: none; stroke: currentColor;
  stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round;
}
.icon-more, .icon-keyboard { stroke-width: 2.25; }
:dir(rtl) > .icon-back, :dir(rtl) > .icon-forward, :dir(rtl) > .icon-go { transform: scaleX(-1); }
button, select, input, textarea { font: inherit; color: inherit; }
button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.4em;
  min-block-size: 2.25rem; min-inline-size: 2.25rem; padding: 0.25rem 0.6rem;
  border: 1px solid var(--_line); border-radius: 8px; background: var(--_surface); cursor: pointer;
}
button:hover:not(:disabled) { background: var(--_raised); }
button:disabled { cursor: default; color: var(--_muted); opacity: 0.6; }
button.quiet { border-color: transparent; background: transparent; }
button.quiet:hover:not(:disabled) { background: var(--_raised); }
button.main { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent); }
button.main:hover:not(:disabled) { background: color-mix(in srgb, var(--_accent) 88%, var(--_text)); }
a { color: var(--_accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.away {
  position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; padding: 0; border: 0; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
[hidden] { display: none !important; }
@media (forced-colors: active) {
  button { border-color: ButtonBorder; }
}
@media (pointer: coarse) {
  button { min-block-size: 2.75rem; min-inline-size: 2.75rem; }
}
`);

export const cards = sheet(`
:host { container-type: inline-size; }
.card {
  border: 1px solid var(--_line); border-radius: var(--_radius); background: var(--_surface);
  overflow: clip; max-inline-size: 100%;
}
header { display: flex; gap: 0.75rem; align-items: flex-start; padding: 0.75rem 1rem 0.65rem; }
.names { min-inline-size: 0; flex: 1; }
.title { display: block; font-weight: 600; overflow-wrap: anywhere; }
.title > bdi { unicode-bidi: isolate; }
.where {
  display: block; color: var(--_muted); font-size: 0.8125rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.where a { color: inherit; }
.tag {
  flex: none; font-size: 0.75rem; color: var(--_muted); background: var(--_raised); border-radius: 999px;
  padding: 0.1rem 0.6rem;
}
.tools { display: flex; flex-wrap: wrap; gap: 0.25rem; padding: 0.35rem 0.6rem; border-block-start: 1px solid var(--_line); }
.tools button { font-size: 0.8125rem; }
.note { padding: 0.4rem 1rem; margin: 0; color: var(--_muted); font-size: 0.8125rem; }
.said { margin-inline-start: auto; align-self: center; color: var(--_muted); font-size: 0.8125rem; padding-inline: 0.4rem; }
.waiting { padding: 0.9rem 1rem 1rem; }
.waiting .row { display: flex; gap: 0.75rem; justify-content: space-between; }
.seconds { color: var(--_muted); font-variant-numeric: tabular-nums; }
.bar { block-size: 4px; margin-block-start: 0.7rem; border-radius: 2px; background: var(--_raised); overflow: hidden; }
.bar > span { display: block; block-size: 100%; inline-size: 35%; border-radius: 2px; background: var(--_accent); animation: wait 1.4s ease-in-out infinite alternate; }
@keyframes wait { from { margin-inline-start: 0; } to { margin-inline-start: 65%; } }
.error { padding: 0.85rem 1rem; background: var(--_raised); color: var(--_text); }
.error p { margin: 0; overflow-wrap: anywhere; }
.error .code { color: var(--_muted); font: 0.75rem/1.5 var(--_mono); margin-block-start: 0.2rem; }
.error .tools { padding: 0.6rem 0 0; border: 0; }
.picture { border-block-start: 1px solid var(--_line); background: var(--_raised); position: relative; }
.picture > button {
  display: block; inline-size: 100%; max-block-size: 26rem; padding: 0; border: 0; border-radius: 0; overflow: clip;
  background: none; cursor: zoom-in;
}
.picture canvas { display: block; max-inline-size: 100%; block-size: auto; margin-inline: auto; }
.picture > button:focus-visible { outline-offset: -3px; }
dialog {
  inline-size: 100vw; block-size: 100vh; block-size: 100dvh; max-inline-size: none; max-block-size: none; margin: 0; padding: 0;
  border: 0; background: var(--_surface); color: var(--_text); overflow: hidden;
}
dialog[open] { display: flex; flex-direction: column; }
dialog .tools { border: 0; border-block-end: 1px solid var(--_line); align-items: center; flex: none; }
dialog .scroll { flex: 1; overflow: auto; overscroll-behavior: contain; background: var(--_raised); touch-action: pan-x pan-y pinch-zoom; }
dialog canvas { display: block; margin-inline: auto; }
.content { border-block-start: 1px solid var(--_line); padding: 0.75rem 1rem; overflow-wrap: anywhere; max-block-size: 30rem; overflow: auto; }
.content.plain { white-space: pre-wrap; margin: 0; unicode-bidi: plaintext; }
.content.code { white-space: pre-wrap; font: 0.8125rem/1.5 var(--_mono); margin: 0; }
.content :is(h3, h4, h5, h6) { margin: 1em 0 0.35em; line-height: 1.3; font-size: 1em; }
.content h3 { font-size: 1.2em; }
.content h4 { font-size: 1.08em; }
.content > :first-child, .content > .chunk:first-child > :first-child { margin-block-start: 0; }
.content p, .content ul, .content ol, .content blockquote, .content pre, .content .wide { margin: 0 0 0.7em; }
.content ul, .content ol { padding-inline-start: 1.5em; }
.content blockquote { border-inline-start: 3px solid var(--_line); padding-inline-start: 0.8em; color: var(--_muted); }
.content pre { background: var(--_raised); border-radius: 8px; padding: 0.6rem 0.75rem; overflow: auto; white-space: pre; }
.content code { font: 0.875em/1.45 var(--_mono); }
.content hr { border: 0; border-block-start: 1px solid var(--_line); }
.wide { overflow: auto; }
table { border-collapse: collapse; font-size: 0.875rem; }
th, td { border: 1px solid var(--_line); padding: 0.3rem 0.6rem; text-align: start; vertical-align: top; }
th { background: var(--_raised); font-weight: 600; }
porthole-live-view { block-size: min(30rem, 75vh); border-block-start: 1px solid var(--_line); }
@container (max-width: 26rem) {
  header { padding-inline: 0.75rem; }
  .tag { display: none; }
}
@media (prefers-reduced-motion: reduce) {
  .bar > span { animation: none; inline-size: 100%; opacity: 0.5; }
}
`);
