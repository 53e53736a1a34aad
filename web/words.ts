/** What somebody else has called, where it is said by whom. */
const CALLED = /\b(?:GET|POST|DELETE) \/\S+ (?=by )/g;
/** A last clause that tells a program what to call: on the page a button stands for it. A folder is no route. */
const STEP =
  /(?::|(?<=\.))(?= )(?:[^.:]|\.(?=\S))*?(?: \/(?!(?:dev|etc|home|media|mnt|opt|root|run|srv|tmp|usr|var)\/)[a-z]|\?\w+=true)(?:[^.:]|\.(?=\S))*\.?$/;

/** The words of the bridge without the routes that programs call. */
export function withoutRoutes(text: string): string {
  return text.replace(CALLED, '').replace(STEP, '');
}

/** What a person would type at a terminal, as a clause of its own. */
const TYPED = /[;:] (?:[^;:.]|\.(?=\S))*(?:arm-bridge |--)(?:[^;:.]|\.(?=\S))*/g;

/** The words of the bridge without the commands of its terminal. */
export function withoutCommands(text: string): string {
  return text.replace(/ \(arm-bridge [^)]*\)/g, '').replace(TYPED, '');
}

/** A clause of the bridge as a sentence of its own. */
export function sentence(clause: string): string {
  const end = clause === '' || /[.!?]$/.test(clause) ? '' : '.';
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${end}`;
}
