import {readTextFile} from '../../config/read-text-file.ts';
import {writePrivateFile} from '../../config/write-private-file.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {type KeptDefinitions, parseKept} from './kept-definitions.ts';

/** What the file holds. */
export type PinnedTools = {
	/** Whether what is not pinned is new. False for good once the file was broken. */
	readonly trustsNewTools: boolean;
	/** Profile and server → tool → definition; what was used last is last. */
	readonly servers: ReadonlyMap<string, ReadonlyMap<string, string>>;
	/** How those tools were defined; of what was pinned before this was kept, nothing. */
	readonly kept: KeptDefinitions;
};

const maxFileBytes = 32 * 1024 * 1024;

/** One text for a profile and a server; neither can forge another. */
export const pinKey = (profile: string, server: string): string =>
	JSON.stringify([profile, server]);

/**
 * Reads the pins; a file that does not exist holds none.
 *
 * @throws SvcError `tool_pins_unusable`, without what is in the file
 */
export function readPins(path: string): PinnedTools {
	try {
		const text = readTextFile(path, maxFileBytes);
		return text === undefined
			? {trustsNewTools: true, servers: new Map(), kept: new Map()}
			: parse(text);
	} catch (error) {
		throw new SvcError(
			'tool_pins_unusable',
			`Cannot use "${path}", which remembers how tools were defined when they were first seen: until it is removed, tools count as changed unless they are accepted`,
			{cause: error},
		);
	}
}

/** Replaces the file. Rejects as `writePrivateFile` does. */
export const writePins = async (
	path: string,
	{trustsNewTools, servers, kept}: PinnedTools,
): Promise<void> =>
	writePrivateFile(
		path,
		`${JSON.stringify({
			version: 1,
			trustsNewTools,
			servers: [...servers].map(([key, tools]) => [key, Object.fromEntries(tools)]),
			kept: Object.fromEntries(kept),
		})}\n`,
	);

function parse(text: string): PinnedTools {
	const value: unknown = JSON.parse(text);
	if (!isJsonObject(value) || value['version'] !== 1 || !Array.isArray(value['servers'])) {
		throw new Error('not of the form');
	}

	return {
		trustsNewTools: value['trustsNewTools'] === true,
		servers: new Map(value['servers'].map(parseServer)),
		kept: parseKept(value['kept']),
	};
}

function parseServer(entry: unknown): readonly [string, ReadonlyMap<string, string>] {
	const [key, tools]: readonly unknown[] = Array.isArray(entry) ? entry : [];
	if (typeof key !== 'string' || !isJsonObject(tools)) {
		throw new Error('not of the form');
	}

	return [
		key,
		new Map(
			Object.entries(tools).map(([tool, definition]) => {
				if (typeof definition !== 'string' || !/^[0-9a-f]{64}$/.test(definition)) {
					throw new Error('not of the form');
				}

				return [tool, definition] as const;
			}),
		),
	];
}
