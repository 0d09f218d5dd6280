import { createSocket } from 'node:dgram';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { root } from './paths.mjs';

/** Checks what every command needs of the machine. Throws a Failure that names the first thing missing. */
export async function preflight() {
  checkWritable();
  await checkLoopback();
}

function checkWritable() {
  const probe = join(root, `.write-probe-${process.pid}.log`);
  try {
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new Failure(
      `The folder ${root} can't be written to (${codeOf(error)}), and dependencies and builds go there. Give yourself the right to write, or clone into a folder of your own.`,
    );
  }
}

/** A datagram from a loopback socket to itself must arrive. */
function checkLoopback() {
  return new Promise((/** @type {(value?: undefined) => void} */ done, fail) => {
    const socket = createSocket('udp4');
    const end = (/** @type {string | undefined} */ reason = undefined) => {
      clearTimeout(timer);
      socket.close();
      if (reason === undefined) done();
      else {
        fail(
          new Failure(
            `UDP on 127.0.0.1 does not work (${reason}), and all traffic goes over it. Allow it in the firewall or the sandbox, and bring the loopback interface up.`,
          ),
        );
      }
    };
    const timer = setTimeout(() => end('nothing arrived within 2 s'), 2000);
    socket.on('error', (error) => end(codeOf(error)));
    socket.on('message', () => end());
    socket.bind(0, '127.0.0.1', () =>
      socket.send('probe', socket.address().port, '127.0.0.1', (error) => error && end(codeOf(error))),
    );
  });
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
