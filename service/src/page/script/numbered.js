// An element that the latest reading has numbered.
number => globalThis.portholeFrames?.[number]
