import { styleText } from 'node:util';

export type Tone = 'bold' | 'dim' | 'green' | 'red';

/** Dresses a text for a terminal, or leaves it as it is. */
export type Style = (tone: Tone, text: string) => string;

/** Colors only where a terminal shows them and nobody asked for none (https://no-color.org). */
export function createStyle(stream: NodeJS.WritableStream): Style {
  const colored = 'isTTY' in stream && stream.isTTY === true && !process.env['NO_COLOR'];
  return colored ? (tone, text) => styleText(tone, text) : (_, text) => text;
}
