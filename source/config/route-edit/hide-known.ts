import type {JsonValue} from '../../core/json.ts';
import {valueAt} from '../plain-data.ts';
import {secretPlaces} from './kept-secrets.ts';

const hidden = '<hidden>';

/** UTF-16 units from which on a secret is no word that stands everywhere. */
const minLength = 8;

/** From the first `#` on, which may begin a comment. */
const comment = /#.*$/;

/** A secret as it may be written in a file: bare, in double quotes, in single ones. */
const spellings = (secret: string): readonly string[] => [
	secret,
	JSON.stringify(secret).slice(1, -1),
	secret.replaceAll("'", "''"),
];

/** Lines of a diff without the secrets of these entries, wherever they stand: long ones anywhere, as in a description, short ones as a whole word in a comment. */
export function hideKnown(
	lines: readonly string[],
	entries: ReadonlyArray<JsonValue | undefined>,
): readonly string[] {
	const secrets = entries
		.filter(entry => entry !== undefined)
		.flatMap(entry => secretPlaces(entry).map(place => String(valueAt(entry, place))))
		.flatMap(spellings)
		.toSorted((one, other) => other.length - one.length);
	const long = secrets.filter(({length}) => length >= minLength);
	const short = secrets
		.filter(({length}) => length > 0 && length < minLength)
		.map(secret => new RegExp(`(?<!\\w)${RegExp.escape(secret)}(?!\\w)`, 'g'));
	return lines.map(line =>
		long
			.reduce((rest, secret) => rest.replaceAll(secret, hidden), line)
			.replace(comment, text =>
				short.reduce((rest, secret) => rest.replaceAll(secret, hidden), text),
			),
	);
}
