/** Ends this process. Loaded with the program, and so before a plugin, which finds another `process.exit`. */
export const exit: (code: number) => never = process.exit.bind(process);
