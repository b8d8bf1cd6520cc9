import {withoutUnwanted} from '../platforms/outgoing-message.ts';
import type {TargetKind} from '../platforms/target-kind.ts';
import {neutraliseMentions} from './neutralise-mentions.ts';

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
	const clean = withoutUnwanted(text);
	if (clean.length <= limit) {
		return clean;
	}

	const note = `\n\n[cut: the whole text has ${clean.length} characters]`;
	// The cut may tear a surrogate pair.
	return clean.slice(0, limit - note.length).replace(/[\ud800-\udbff]$/, '') + note;
}
