import { X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fingerprint } from '@millrace/crypto';

/** A self-signed P-256 certificate in files, as command-line peers want it. */
export interface PemCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly fingerprint: Fingerprint;
  remove(): void;
}

export function createPemCertificate(openssl: string): PemCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-certificate-'));
  const certificateFile = join(folder, 'certificate.pem');
  const keyFile = join(folder, 'key.pem');
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync(
    openssl,
    ['req', '-x509', ...curve, '-keyout', keyFile, '-out', certificateFile, '-days', '2', '-subj', '/CN=interop', '-batch'],
    { stdio: 'ignore' },
  );
  const value = new X509Certificate(readFileSync(certificateFile)).fingerprint256;
  return {
    certificateFile,
    keyFile,
    fingerprint: { algorithm: 'sha-256', value },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
