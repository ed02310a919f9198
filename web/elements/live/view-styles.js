// The look of the live view. It follows its own width, from 320 px to a wall.
import { sheet } from '../dom.js';

export const view = sheet(`
:host {
  container-type: inline-size; display: flex; flex-direction: column; block-size: 34rem; min-block-size: 14rem; position: relative;
  background: var(--_surface); overflow: clip;
}
:host(:fullscreen) { block-size: 100%; inline-size: 100%; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem; padding: 0.4rem; border-block-end: 1px solid var(--_line); flex: none; }
.bar .group { display: flex; gap: 0.15rem; }
.bar form { flex: 1 1 12rem; display: flex; min-inline-size: 0; }
.bar form input {
  inline-size: 100%; min-inline-size: 0; min-block-size: 2.25rem; padding: 0.25rem 0.75rem; border: 1px solid var(--_line);
  border-radius: 999px; background: var(--_raised); text-overflow: ellipsis;
}
.bar form input:read-only { color: var(--_muted); }
.bar .more { display: none; }
.extra { display: contents; }
.bar select, .panel select { min-block-size: 2.25rem; border: 1px solid var(--_line); border-radius: 8px; background: var(--_surface); padding-inline: 0.4rem; }
button[aria-pressed="true"] { background: color-mix(in srgb, var(--_accent) 14%, var(--_surface)); border-color: var(--_accent); }
.control[aria-pressed="true"] { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent); }
.control[aria-pressed="true"]:hover:not(:disabled) { background: color-mix(in srgb, var(--_accent) 88%, var(--_text)); }
.role { color: var(--_muted); font-size: 0.8125rem; padding-inline: 0.5rem; white-space: nowrap; }
.tabs { display: flex; gap: 0.25rem; padding: 0.3rem 0.4rem 0; overflow-x: auto; border-block-end: 1px solid var(--_line); flex: none; }
.tabs button {
  max-inline-size: 13rem; flex: none; border-radius: 8px 8px 0 0; border-block-end: 0; background: var(--_raised); font-size: 0.8125rem;
}
.tabs button > bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tabs button[aria-selected="true"] { background: var(--_surface); font-weight: 600; }
.stage {
  position: relative; flex: 1; min-block-size: 0; overflow: hidden; touch-action: none; direction: ltr;
  background: light-dark(#e4e8ee, #0d1117);
}
.stage:focus-within { box-shadow: inset 0 0 0 2px var(--_accent); }
canvas { position: absolute; display: block; background: #fff; user-select: none; -webkit-user-select: none; -webkit-touch-callout: none; }
canvas.empty { visibility: hidden; }
.stale canvas { filter: grayscale(0.7) opacity(0.55); }
.typed {
  position: absolute; inset-block-start: 0; inset-inline-start: 0; inline-size: 1px; block-size: 1.4em; padding: 0; border: 0; margin: 0; opacity: 0;
  outline: 0; resize: none; overflow: hidden; pointer-events: none; font-size: 16px; caret-color: transparent; white-space: pre;
}
.over { position: absolute; inset: 0; display: grid; place-items: center; padding: 0.75rem; overflow: auto; background: color-mix(in srgb, var(--_surface) 40%, transparent); direction: inherit; }
.panel {
  background: var(--_surface); color: var(--_text); border: 1px solid var(--_line); border-radius: 10px; padding: 0.75rem;
  box-shadow: 0 8px 28px rgb(0 0 0 / 0.18); max-inline-size: 100%;
}
.panel.message { inline-size: min(26rem, 100%); display: grid; gap: 0.65rem; max-block-size: 100%; overflow: auto; }
.panel p { margin: 0; }
.panel .by { font-weight: 600; }
.said-by-page { white-space: pre-wrap; overflow-wrap: anywhere; max-block-size: 14rem; overflow: auto; unicode-bidi: plaintext; }
.panel input:not([type="file"]), .panel textarea {
  inline-size: 100%; min-block-size: 2.25rem; border: 1px solid var(--_line); border-radius: 8px; background: var(--_raised); padding: 0.3rem 0.6rem;
}
.panel input[type="color"] { padding: 0.2rem; min-inline-size: 8rem; }
.panel input[type="file"] { max-inline-size: 100%; }
.answers { display: flex; flex-wrap: wrap; gap: 0.5rem; justify-content: flex-end; margin-block-start: 0.6rem; }
.panel.message .answers { margin: 0; }
.panel.field { position: absolute; left: 8px; top: 8px; max-inline-size: calc(100% - 16px); z-index: 2; }
.panel.list, .panel.datalist { padding: 0.3rem; }
.options { max-block-size: 16rem; overflow: auto; outline-offset: -2px; border-radius: 8px; }
.option { padding: 0.35rem 0.7rem; border-radius: 6px; cursor: pointer; overflow-wrap: anywhere; }
.option:hover, .option.current { background: var(--_raised); }
.option[aria-selected="true"] { background: color-mix(in srgb, var(--_accent) 16%, var(--_surface)); font-weight: 600; }
.option[aria-disabled="true"] { color: var(--_muted); cursor: default; }
.options .group { padding: 0.4rem 0.7rem 0.2rem; font-size: 0.8125rem; font-weight: 600; color: var(--_muted); }
.options [role="group"] .option { padding-inline-start: 1.3rem; }
.state { position: absolute; inset: 0; display: grid; place-items: center; pointer-events: none; padding: 1rem; direction: inherit; }
.state > div {
  pointer-events: auto; display: grid; gap: 0.7rem; justify-items: center; text-align: center; background: var(--_surface); border: 1px solid var(--_line);
  border-radius: 12px; padding: 0.9rem 1.2rem; max-inline-size: 24rem; box-shadow: 0 4px 18px rgb(0 0 0 / 0.12);
}
.state p { margin: 0; }
.spin { inline-size: 1.5rem; block-size: 1.5rem; border: 3px solid var(--_line); border-block-start-color: var(--_accent); border-radius: 50%; animation: turn 0.9s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.toast {
  position: absolute; inset-block-end: 0.75rem; inset-inline: 0.75rem; margin-inline: auto; inline-size: fit-content; max-inline-size: calc(100% - 1.5rem);
  padding: 0.4rem 0.9rem; border-radius: 999px; background: light-dark(#1c2430, #e6eaf0); color: light-dark(#ffffff, #14181f); font-size: 0.875rem; z-index: 3;
  pointer-events: none; direction: inherit;
}
.box { position: absolute; border: 2px solid var(--porthole-agent, #c2410c); border-radius: 6px; background: rgb(194 65 12 / 0.1); pointer-events: none; }
.agent {
  position: absolute; left: -9px; top: -9px; inline-size: 18px; block-size: 18px; border-radius: 50%; background: var(--porthole-agent, #c2410c);
  border: 3px solid #fff; box-shadow: 0 1px 5px rgb(0 0 0 / 0.45); pointer-events: none; transition: transform 0.18s ease-out;
}
.badge {
  position: absolute; padding: 0.1rem 0.6rem; border-radius: 999px; background: #9a3412; color: #fff; font-size: 0.8125rem; pointer-events: none;
  white-space: nowrap; max-inline-size: calc(100% - 8px); overflow: hidden; text-overflow: ellipsis;
}
.badge.cornered { left: 8px; top: 8px; }
.numbers { position: absolute; inset-block-start: 8px; right: 8px; font: 0.75rem/1.5 var(--_mono); background: rgb(0 0 0 / 0.72); color: #fff; border-radius: 6px; padding: 0.2rem 0.5rem; pointer-events: none; }
.alternative { flex: none; max-block-size: 45%; overflow: auto; border-block-start: 1px solid var(--_line); padding: 0.6rem 0.9rem 0.8rem; }
.alternative h2 { font-size: 1rem; margin: 0 0 0.3rem; overflow-wrap: anywhere; }
.alternative p { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.alternative pre { font: 0.8125rem/1.5 var(--_mono); white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.5rem 0 0; max-block-size: 18rem; overflow: auto; }
.alternative ul { margin: 0 0 0.5rem; padding-inline-start: 1.3rem; }
@container (max-width: 52rem) {
  .bar .more { display: inline-flex; }
  .extra { display: none; }
  .extra.shown { display: flex; flex-wrap: wrap; gap: 0.3rem; flex-basis: 100%; }
}
@container (max-width: 32rem) {
  .bar form { order: 1; flex-basis: calc(100% - 10rem); }
  .bar .role { order: 1; max-inline-size: 9.7rem; overflow: hidden; text-overflow: ellipsis; }
  .bar .extra { order: 2; }
  .bar .main-group { margin-inline-end: auto; }
}
@container (max-width: 24rem) {
  .control > span { display: none; }
}
@media (any-pointer: coarse) {
  @container (max-width: 26rem) {
    .control > span { display: none; }
  }
}
@media (pointer: coarse) { .bar form input, .bar select { min-block-size: 2.75rem; font-size: 16px; } .option { padding-block: 0.6rem; } }
button.only-touch { display: none; }
@media (any-pointer: coarse) { button.only-touch { display: inline-flex; } }
@media (prefers-reduced-motion: reduce) {
  .agent { transition: none; }
  .spin { animation-duration: 4s; }
}
`);
