import {createHash} from 'node:crypto';
import {SvcError} from '../../core/errors.ts';
import {valueIn} from '../../core/json-path.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {HomePaths} from '../config.ts';
import {maxConfigBytes} from '../edit-config.ts';
import {formatDiagnostic} from '../format-diagnostic.ts';
import {createJsonPlacer} from '../json-source.ts';
import {diagnosticIn} from '../place-diagnostic.ts';
import {asPlainData, type KeyPath} from '../plain-data.ts';
import {routesPlace} from '../profiles.ts';
import type {Route} from '../route.ts';
import {parseSubscriptions} from '../subscriptions.ts';
import {readTextFile, subscriptionsText} from '../text-files.ts';
import {parseYamlSource} from '../yaml-source.ts';
import {withoutSecrets} from './kept-secrets.ts';

/** A route as written in its file. Contains secrets. */
export type WrittenRoute = {
	readonly source: Route['source'];
	/** The requested name. */
	readonly name: string;
	readonly file: string;
	/** The whole text of the file; empty when it is missing. */
	readonly text: string;
	/** The line of its name, from 1; 0 if there is no such route. */
	readonly line: number;
	/** The line of one of its keys. */
	readonly lineOf: (key: string) => number;
	/** Absent if there is no such route. */
	readonly entry?: JsonValue;
};

/** Identifies an unchanged entry; of its secrets only the lengths count. */
export const fingerprintOf = (entry: JsonValue | undefined): string =>
	entry === undefined
		? noEntry
		: createHash('sha256')
				.update(JSON.stringify(withoutSecrets(entry)))
				.digest('base64url');

/** The fingerprint of a missing entry. */
export const noEntry = 'none';

/**
 * The route `name` of that source, read from its file now.
 *
 * @throws SvcError `config_broken`, `subscriptions_broken` for a file that does not parse; `file_too_large`, `file_unreadable`
 */
export const readWrittenRoute = (
	paths: HomePaths,
	name: string,
	source: Route['source'],
): WrittenRoute => (source === 'static' ? readStatic(paths, name) : readDynamic(paths, name));

function readStatic({config: file}: HomePaths, name: string): WrittenRoute {
	const text = readTextFile(file, maxConfigBytes) ?? '';
	const source = parseYamlSource(text);
	const data = asPlainData(source.value);
	const [problem] = source.problems;
	if (problem || !data.ok) {
		const reason = problem
			? formatDiagnostic(diagnosticIn(file, {severity: 'error', ...problem}))
			: 'it holds what no configuration can';
		throw new SvcError('config_broken', `Cannot edit "${file}": mend it first, ${reason}`);
	}

	const path = pathInConfig(source.value, name);
	const entry = isJsonObject(data.value) ? valueIn(data.value, path.map(String)) : undefined;
	const line = entry === undefined ? 0 : source.positionOfKey(path).line;
	const lineOf = (key: string) => source.positionOfKey([...path, key]).line;
	return {source: 'static', name, file, text, line, lineOf, ...(entry !== undefined && {entry})};
}

/** The path of a static route in `config.yaml`. */
export const pathInConfig = (value: unknown, name: string): KeyPath => [
	...routesPlace(value),
	name,
];

function readDynamic(paths: HomePaths, name: string): WrittenRoute {
	const {name: file, ...written} = subscriptionsText(paths);
	const text = written.read() ?? '';
	const entry = memberOf(parseSubscriptions(text, file), name);
	const lineAt = (path: KeyPath) => createJsonPlacer(file, text)({path, message: ''}).line;
	const line = entry === undefined ? 0 : lineAt([name]);
	const lineOf = (key: string) => lineAt([name, key]);
	return {source: 'dynamic', name, file, text, line, lineOf, ...(entry !== undefined && {entry})};
}

/** The entry of that name. */
export const memberOf = (entries: JsonObject, name: string): JsonValue | undefined =>
	Object.hasOwn(entries, name) ? entries[name] : undefined;
