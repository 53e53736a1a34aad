/** Folder of the sources, `src/`, or of what is compiled of them, `dist/`: wherever the bundler puts this module. */
export const PROGRAM = new URL('./', import.meta.url);

/** The project's own folder, with what a bridge reads: robots, scenes, configuration. */
export const PROJECT = new URL('../', PROGRAM);
