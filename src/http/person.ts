/**
 * What a person at a page can be called: at most 32 letters of any language, digits, blanks and `_.:@/+-`, a letter or digit first.
 * The page asks it before it says a name.
 */
export const PERSON = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_ .:@/+-]{0,30}[\p{L}\p{M}\p{N}_.@/+-])?$/u;
