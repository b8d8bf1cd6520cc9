import type {TargetKind} from '../platforms/target-kind.ts';
import {neutraliseMentions} from './neutralise-mentions.ts';

/** What no target needs: controls (but tabs and line feeds) and the characters that turn the direction of a text around. */
// oxlint-disable-next-line no-control-regex -- they are what it removes
const unwanted = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text as a kind of target sends it: line breaks as line feeds, no controls, no lone surrogates, at most as many characters as it takes. A longer one is cut and
 * says so at its end. Without `rules` the text stays as it is.
 */
export function outgoingText(text: string, rules: TargetKind['text']): string {
	if (!rules) {
		return text;
	}

	const bounded = cleanText(text, rules.maxLength);
	return rules.mentions === 'neutralised' ? neutraliseMentions(bounded) : bounded;
}

function cleanText(text: string, limit: number): string {
	const clean = text.toWellFormed().replace(/\r\n?/g, '\n').replace(unwanted, '');
	if (clean.length <= limit) {
		return clean;
	}

	const note = `\n\n[cut: the whole text has ${clean.length} characters]`;
	// The cut may tear a surrogate pair.
	return clean.slice(0, limit - note.length).replace(/[\ud800-\udbff]$/, '') + note;
}
