import {createHash} from 'node:crypto';
import type {JsonValue} from '../core/json.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';
import {dumpJson} from './dump-json.ts';
import {type RenderContext, parseTemplate, placeOfKey, valueOfPlace} from './template.ts';

type RenderedKey =
	/** The rendered key; untrusted. */
	| {readonly ok: true; readonly text: string}
	/** Places of the template without a value, as `{key}`, at most 20. */
	| {readonly ok: false; readonly missing: readonly string[]};

export type GroupKeyReader = (context: RenderContext) => RenderedKey;

/** Longest key that is shown whole, in UTF-16 units. */
const maxKeyLength = 256;

/** Length above which a key is rendered no further, in UTF-16 units. */
const maxTextLength = 1_048_576;

const maxMissing = 20;

/**
 * Compiles `coalesce.key`: a dotted path when it has no `{`, else a template. Every place must have a value that is neither
 * null nor empty; objects and lists are written as JSON. Keys are compared as text: the number 1 and the text "1" are one key.
 *
 * @see manual/routes.md#coalescing
 */
export function compileGroupKey(source: string): GroupKeyReader {
	const template = source.includes('{') ? parseTemplate(source) : [placeOfKey(source)];

	return context => {
		const missing = new Set<string>();
		let text = '';
		for (const part of template) {
			const value = typeof part === 'string' ? part : textOf(valueOfPlace(part, context));
			if (typeof part !== 'string' && value === '' && missing.size < maxMissing) {
				missing.add(part.literal);
			}

			text += value;
			if (text.length > maxTextLength) {
				break;
			}
		}

		return missing.size === 0 && text !== ''
			? {ok: true, text}
			: {ok: false, missing: [...missing]};
	};
}

function textOf(value: JsonValue | undefined): string {
	if (value === undefined || value === null) {
		return '';
	}

	if (typeof value === 'string') {
		return value;
	}

	try {
		return JSON.stringify(value);
	} catch {
		// Nested too deeply for `JSON.stringify`. `dumpJson` bounds the depth.
		return dumpJson(value, maxTextLength);
	}
}

const digestLength = 16;

const looksHashed = /~[0-9a-f]{16}$/;

/** A key that is not shown whole is cut to this length before it is redacted and cleaned. */
const lookedAt = 4096;

/**
 * The name of a group: its key in one safe line of at most 256 characters. If the key is too long, is changed by cleaning or redaction, or already looks like a hashed name,
 * the name ends with `~` and 16 hex digits of the SHA-256 of the key's JSON: different keys keep different names.
 */
export function groupNameOf(key: string, redact: Redact): string {
	const shown = key.length > maxKeyLength ? '' : escapeLine(redact(key), maxKeyLength);
	if (shown === key && !looksHashed.test(key)) {
		return key;
	}

	// UTF-8 encodes all lone surrogates alike; JSON keeps them apart.
	const digest = createHash('sha256')
		.update(JSON.stringify(key))
		.digest('hex')
		.slice(0, digestLength);
	return `${escapeLine(redact(key.slice(0, lookedAt)), maxKeyLength - digestLength - 1)}~${digest}`;
}
