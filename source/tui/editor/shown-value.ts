import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';

/** A value in one row. */
export function shownValue(field: RouteField, value: JsonValue | undefined): Safe {
	if (value === undefined || value === null) {
		const {default: standard} = field;
		return standard === undefined || standard === '' || isEmpty(standard)
			? literal('-')
			: safe`- (${cell(plain(standard)).text})`;
	}

	return cell(field.secret === true ? secretText(value) : plain(value)).text;
}

const isEmpty = (value: JsonValue): boolean =>
	typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const plain = (value: JsonValue): string => {
	if (typeof value === 'string') {
		return value;
	}

	// Nothing is something else than no setting: a route with `toolsets: []` has no tools, one without has all.
	return Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'string')
		? value.join(', ')
		: JSON.stringify(value);
};

/** Stands in the place of a secret that the gateway makes. */
export const toMake = '<make a new secret>';

const kept = /^<kept: [^,<>\s]+, (\d+) bytes>$/;

/** Whether a secret is there, never what it is: also of one that was typed here. */
function secretText(value: JsonValue): string {
	return Array.isArray(value)
		? `${value.length}: ${value.map(item => (isJsonObject(item) ? 'set, kept' : oneSecret(item))).join('; ')}`
		: oneSecret(value);
}

function oneSecret(text: JsonValue): string {
	if (typeof text !== 'string') {
		return 'set';
	}

	const [, bytes] = kept.exec(text) ?? [];
	if (bytes !== undefined) {
		return `set, ${bytes} bytes, kept`;
	}

	if (text === toMake) {
		return 'a new one is made when it is saved';
	}

	return /^\$\{[^{}]*\}$/.test(text) || text === 'INSECURE_NO_AUTH' || text === ''
		? JSON.stringify(text)
		: 'new, set here';
}
