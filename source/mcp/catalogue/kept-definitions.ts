import {createHash} from 'node:crypto';
import {isJsonObject} from '../../core/json.ts';

/** Definitions as they were when they were pinned: hash → canonical JSON. For comparison only; which of them is trusted, the pins say. */
export type KeptDefinitions = ReadonlyMap<string, string>;

/** A server that says much takes no room from others. In UTF-16 units. */
const most = {definition: 16 * 1024, server: 256 * 1024, all: 4 * 1024 * 1024} as const;

/** Of `kept`, what `servers` have pinned, as far as there is room; those that were used last first. */
export function stillKept(
	servers: ReadonlyMap<string, ReadonlyMap<string, string>>,
	kept: KeptDefinitions,
): KeptDefinitions {
	const after = new Map<string, string>();
	let room: number = most.all;
	for (const pins of [...servers.values()].toReversed()) {
		let left = Math.min(room, most.server);
		for (const hash of pins.values()) {
			const text = kept.get(hash);
			if (text !== undefined && text.length <= Math.min(left, most.definition)) {
				after.set(hash, text);
				left -= text.length;
				room -= text.length;
			}
		}
	}

	return after;
}

/** What a file holds of them; what is not the text of its hash is left out. */
export const parseKept = (value: unknown): KeptDefinitions =>
	new Map(
		isJsonObject(value)
			? Object.entries(value).flatMap(([hash, text]) =>
					typeof text === 'string' && hashOf(text) === hash ? [[hash, text] as const] : [],
				)
			: [],
	);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
