import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {RouteField} from '../../core/route-editor.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';

/** What was typed into a field, as a value; `undefined`: the setting is left out. */
export type TypedValue =
	| {readonly ok: true; readonly value: JsonValue | undefined}
	| {readonly ok: false; readonly problem: string};

const takes = (value: JsonValue | undefined): TypedValue => ({ok: true, value});
const refuses = (problem: string): TypedValue => ({ok: false, problem});

/** Whether a field is typed in several lines. */
export const hasLines = ({kind}: RouteField): boolean =>
	kind === 'lines' || kind === 'mapping' || kind === 'json';

/** A value as it is typed. A secret begins empty: what stands in the file does not come here. */
export function typedText(
	{kind, secret = false}: RouteField,
	value: JsonValue | undefined,
): string {
	if (value === undefined || value === null || (secret && kind !== 'json')) {
		return '';
	}

	if (kind === 'texts' && Array.isArray(value) && value.every(isPlainItem)) {
		return value.join(', ');
	}

	if (kind === 'mapping' && isJsonObject(value)) {
		return Object.entries(value)
			.map(([key, member]) => `${key}: ${isPlainText(member) ? member : JSON.stringify(member)}`)
			.join('\n');
	}

	return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

const isPlainItem = (item: JsonValue): item is string =>
	typeof item === 'string' && !item.includes(',') && item.trim() === item;

/** A text that is not taken for something else when it is read back. */
const isPlainText = (value: JsonValue): value is string =>
	typeof value === 'string' && value.trim() === value && !/\n/.test(value) && !isJson(value);

function isJson(text: string): boolean {
	return parsed(text) !== undefined;
}

function parsed(text: string): JsonValue | undefined {
	try {
		const value: JsonValue = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/** What a person typed, as the value that is written. What is empty is left out. */
export function typedValue({kind, secret = false}: RouteField, text: string): TypedValue {
	if (text.trim() === '') {
		return takes(undefined);
	}

	switch (kind) {
		case 'text':
		case 'lines':
		case 'choice':
			return takes(text);
		case 'integer':
		case 'number':
			return Number.isFinite(Number(text)) ? takes(Number(text)) : refuses('is no number');
		case 'boolean':
			return takes(text === 'true');
		case 'texts':
			return takes(secret ? text.trim() : listOf(text));
		case 'mapping':
			return mappingOf(text);
		case 'json':
			return jsonOf(text);
	}
}

function listOf(text: string): JsonValue {
	const whole = text.trim().startsWith('[') ? parsed(text) : undefined;
	return Array.isArray(whole)
		? whole
		: text
				.split(',')
				.map(item => item.trim())
				.filter(item => item !== '');
}

function mappingOf(text: string): TypedValue {
	const lines = text.split('\n').filter(line => line.trim() !== '');
	const pairs = lines.map(line => /^\s*([^:\s][^:]*?)\s*:\s*(.*?)\s*$/.exec(line));
	const wrong = pairs.indexOf(null);
	return wrong === -1
		? takes(Object.fromEntries(pairs.map(pair => [pair?.[1] ?? '', memberOf(pair?.[2] ?? '')])))
		: refuses(`has no "key: value" in line ${wrong + 1}`);
}

const memberOf = (text: string): JsonValue => parsed(text) ?? text;

/** JSON, or one word that needs no quotes. */
function jsonOf(text: string): TypedValue {
	const value = parsed(text);
	if (value !== undefined) {
		return takes(value);
	}

	return /^[\w.-]+$/.test(text.trim()) ? takes(text.trim()) : refuses('is no JSON');
}

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

	return Array.isArray(value) && value.every(item => typeof item === 'string')
		? value.join(', ')
		: JSON.stringify(value);
};

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

	return /^\$\{[^{}]*\}$/.test(text) || text === 'INSECURE_NO_AUTH' || text === ''
		? JSON.stringify(text)
		: 'new, set here';
}
