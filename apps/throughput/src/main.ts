import { demo } from './demo.ts';

// A reader that goes away (`| head`) ends the demo without a stack trace.
process.stdout.on('error', () => process.exit(1));
process.exitCode = await demo(process.argv.slice(2));
