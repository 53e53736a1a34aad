// QR codes (ISO/IEC 18004) by `qr`: kept up, without packages of its own, and it gives cells, so that no markup is read here.
import { encodeQR } from 'qr';

/** White around the code, in cells: what the standard asks for, so that cameras find it. */
const MARGIN = 4;

/** A text as a QR code: black cells of size 1 as the path of an SVG, the margin included in `size`. */
export function qrCode(text: string): { readonly size: number; readonly path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN });
  const path = rows.flatMap((row, y) => row.flatMap((black, x) => (black ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { size: rows.length, path };
}
