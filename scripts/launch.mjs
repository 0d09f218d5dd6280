/*
 * Entry of every root script: `node scripts/launch.mjs COMMAND [arguments]`. Plain JavaScript that old
 * versions of Node can parse too, so that they get a sentence rather than a syntax error.
 */
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Millrace needs Node 20.19 or later, and this is ${process.versions.node}. Install a newer one from https://nodejs.org and run the command again.`,
  );
  process.exitCode = 3;
} else {
  import('./commands.mjs').then(({ runCommand }) => runCommand(process.argv[2], process.argv.slice(3)));
}
