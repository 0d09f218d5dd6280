/** Five rows of three dots; a dot is two columns wide, which makes it about square. */
const glyphs: Readonly<Record<string, readonly string[]>> = {
  '0': ['###', '# #', '# #', '# #', '###'],
  '1': ['## ', ' # ', ' # ', ' # ', '###'],
  '2': ['###', '  #', '###', '#  ', '###'],
  '3': ['###', '  #', '###', '  #', '###'],
  '4': ['# #', '# #', '###', '  #', '  #'],
  '5': ['###', '#  ', '###', '  #', '###'],
  '6': ['###', '#  ', '###', '# #', '###'],
  '7': ['###', '  #', '  #', '  #', '  #'],
  '8': ['###', '# #', '###', '# #', '###'],
  '9': ['###', '# #', '###', '  #', '###'],
  '-': ['   ', '   ', '###', '   ', '   '],
  '%': ['# #', '  #', ' # ', '#  ', '# #'],
  ' ': [' ', ' ', ' ', ' ', ' '],
};

export const bigFigureRows = 5;

/** A whole number with `-` and `%` in letters five lines high; all lines are equally wide. */
export function formatBigFigure(text: string): string[] {
  return Array.from({ length: bigFigureRows }, (_, row) =>
    [...text]
      .map((character) => glyphs[character]![row]!)
      .join(' ')
      .replaceAll('#', '██')
      .replaceAll(' ', '  '),
  );
}
