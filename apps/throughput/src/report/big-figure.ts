const glyphs: Readonly<Record<string, readonly string[]>> = {
  '0': ['█▀▀█', '█  █', '█▄▄█'],
  '1': [' ▄█ ', '  █ ', ' ▄█▄'],
  '2': ['█▀▀█', ' ▄▄▀', '█▄▄▄'],
  '3': ['█▀▀█', '  ▀▄', '█▄▄█'],
  '4': ['█  █', '█▄▄█', '   █'],
  '5': ['█▀▀▀', '▀▀▀▄', '▄▄▄▀'],
  '6': ['▄▀▀▄', '█▄▄ ', '▀▄▄▀'],
  '7': ['▀▀▀█', '  █ ', ' █  '],
  '8': ['▄▀▀▄', '▄▀▀▄', '▀▄▄▀'],
  '9': ['▄▀▀▄', '▀▄▄█', ' ▄▄▀'],
  '.': [' ', ' ', '▄'],
  '-': ['   ', '▀▀▀', '   '],
  '%': ['▀ █', ' █ ', '█ ▄'],
  ' ': ['  ', '  ', '  '],
};

/** Digits, `.`, `-`, `%` and spaces in letters three lines high. */
export function formatBigFigure(text: string): string[] {
  return [0, 1, 2].map((row) =>
    [...text]
      .map((character) => glyphs[character]![row]!)
      .join(' ')
      .trimEnd(),
  );
}
