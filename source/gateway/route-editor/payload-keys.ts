import {decidedOutcomes} from '../../core/delivery.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {PayloadKeys} from '../../core/route-editor.ts';
import type {Journal} from '../../store/port.ts';
import {parseBody} from '../../webhook/request-content.ts';

const maxDeliveries = 20;
const maxBodyBytes = 256 * 1024;
const maxKeys = 500;
const maxDepth = 8;
const maxKeyLength = 256;
const sampleLength = 80;

/** Keys that templates can name, from the newest payloads of a route. */
export async function payloadKeys(
	journal: Pick<Journal, 'get' | 'list'>,
	route: string,
): Promise<PayloadKeys> {
	const found = new Map<string, {count: number; readonly sample: string}>();
	let deliveries = 0;
	for (const {id, bodyBytes} of await journal.list({
		route,
		outcomes: decidedOutcomes,
		limit: maxDeliveries,
	})) {
		// oxlint-disable-next-line no-await-in-loop -- bodies are large: one at a time
		const stored = bodyBytes > maxBodyBytes ? undefined : await journal.get(id);
		const parsed = stored?.body && parseBody(Buffer.from(stored.body), stored.headers);
		if (parsed?.ok) {
			deliveries += 1;
			collect(parsed.payload, found);
		}
	}

	const keys = [...found].map(([key, {count, sample}]) => ({key, count, sample}));
	return {deliveries, keys: keys.toSorted((a, b) => b.count - a.count)};
}

/** Traverses breadth-first, so that outer keys are collected before the limit is reached. */
function collect(
	payload: JsonValue,
	found: Map<string, {count: number; readonly sample: string}>,
): void {
	let level: ReadonlyArray<readonly [string, JsonValue]> = membersOf('', payload);
	for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
		for (const [key, value] of level) {
			const known = found.get(key);
			if (known) {
				known.count += 1;
			} else if (found.size < maxKeys) {
				found.set(key, {count: 1, sample: sampleOf(value)});
			}
		}

		level = level.flatMap(([key, value]) => membersOf(`${key}.`, value)).slice(0, maxKeys);
	}
}

/** The members of an object, or the first element of a list, which stands for all of them. */
function membersOf(before: string, value: JsonValue): ReadonlyArray<readonly [string, JsonValue]> {
	const members: ReadonlyArray<readonly [string, JsonValue]> = isJsonObject(value)
		? Object.entries(value).slice(0, maxKeys)
		: Array.isArray(value) && value[0] !== undefined
			? [['0', value[0]]]
			: [];
	return members
		.filter(([name]) => /^[^{}.\n]+$/.test(name) && before.length + name.length <= maxKeyLength)
		.map(([name, member]) => [before + name, member]);
}

function sampleOf(value: JsonValue): string {
	if (Array.isArray(value)) {
		return `[${value.length}]`;
	}

	if (isJsonObject(value)) {
		return '{…}';
	}

	return (typeof value === 'string' ? value : JSON.stringify(value))
		.slice(0, sampleLength)
		.toWellFormed();
}
