import { expect, test } from 'vitest';
import { qrCode } from '../../web/qr.ts';
import { readCode } from '../support/qr.ts';

test('an independent reader reads what a QR code was made of', () => {
  for (const text of [
    'http://192.168.7.2:8020/#token=a-token-that-may-only-look',
    `https://[2001:db8::7]:8020/#token=${'0123456789abcdef'.repeat(4)}`,
    `https://bridge.lab/#token=${encodeURIComponent('!"#$%&/()=?{[]}+*~-_.:,;<>|')}`,
  ]) {
    const { size, path } = qrCode(text);
    expect(readCode(size, path)).toBe(text);
  }
});
