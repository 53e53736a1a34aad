/**
 * A table for a terminal: columns as wide as their widest cell, two blanks between them, each line indented by `indent`.
 * @param head one word for each column
 * @param rows as many cells as the head has
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[], indent = ''): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map(
      (line) =>
        indent +
        line
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd(),
    )
    .join('\n');
}
