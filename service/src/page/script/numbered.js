// Returns the frame element that the latest reading gave this number.
number => globalThis.portholeFrames?.[number]
