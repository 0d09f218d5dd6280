import { build } from 'vite';

/** A module of ours and all that it imports as one script, the sources as a page would get them. */
export async function bundleForPage(entry: URL): Promise<string> {
  const outputs = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['@millrace/source', 'browser', 'import', 'default'] },
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: entry.pathname, formats: ['es'], fileName: 'page' },
    },
  });
  const [output] = Array.isArray(outputs) ? outputs : [outputs];
  if (output === undefined || !('output' in output)) throw new Error('the bundler gave nothing');
  return output.output[0].code;
}
