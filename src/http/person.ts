/**
 * Valid name of a person at a page: at most 32 letters of any language, digits, blanks and `_.:@/+-`, a letter or digit
 * first. The page checks a name against it before it sends the name.
 */
export const PERSON = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_ .:@/+-]{0,30}[\p{L}\p{M}\p{N}_.@/+-])?$/u;
