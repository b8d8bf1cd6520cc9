import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import type {RouteDraft} from '../../core/route-editor.ts';
import {editConfig} from '../edit-config.ts';
import {plainAt} from '../plain-data.ts';
import {editSubscriptions} from '../subscriptions.ts';
import {subscriptionsText} from '../text-files.ts';
import {configDiff, movesOthers, subscriptionDiff} from './entry-diff.ts';
import {
	editedConfig,
	editsBetween,
	judgeDraft,
	renamingOf,
	type JudgedDraft,
	type DraftSurroundings,
} from './judge-draft.ts';
import {
	fingerprintOf,
	memberOf,
	noEntry,
	pathInConfig,
	readWrittenRoute,
	type WrittenRoute,
} from './written-route.ts';

/** The changes that saving would make, without secrets. */
export type SavePlan = Pick<JudgedDraft, 'problems' | 'warnings'> & {
	readonly file: string;
	readonly diff: readonly string[];
	readonly movesOthers?: true;
};

/**
 * The changes that saving `draft` would make in its file, with its problems and warnings.
 *
 * @throws SvcError `route_conflict` when the entry is not what the draft was made of, and as `readWrittenRoute` does
 */
export function planSave(
	name: string,
	draft: RouteDraft,
	surroundings: DraftSurroundings,
): SavePlan {
	const {source, from = name} = draft;
	const written = readWrittenRoute(surroundings.config.paths, from, source);
	refuseConflict(from, draft, written.entry);
	const {entry, problems, warnings} = judgeDraft(name, {draft, written}, surroundings);
	return {file: written.file, problems, warnings, ...diffOf(name, entry, written)};
}

function diffOf(
	name: string,
	after: JsonObject,
	written: WrittenRoute,
): Pick<SavePlan, 'diff' | 'movesOthers'> {
	const {source, entry: before, line, text} = written;
	if (source === 'dynamic') {
		return {diff: subscriptionDiff(name, {before, after, from: written.name}, line)};
	}

	const edited = editedConfig(name, after, written);
	if (!edited.ok) {
		return {diff: []};
	}

	const change = {textBefore: text, textAfter: edited.text, path: edited.path, from: edited.from};
	return {
		diff: configDiff({before, after}, change),
		...(movesOthers(change) && {movesOthers: true}),
	};
}

/**
 * Writes `draft` into its file, under the lock of that file, unless the entry was changed since the draft was opened, or the draft has problems.
 *
 * @throws SvcError `route_conflict`, `route_refused`; what `editConfig` and `editSubscriptions` throw
 */
export async function saveDraft(
	name: string,
	draft: RouteDraft,
	{surroundings, clock}: {readonly surroundings: DraftSurroundings; readonly clock: Clock},
): Promise<JudgedDraft & {readonly file: string}> {
	const {paths} = surroundings.config;
	const {from = name} = draft;
	let judged: JudgedDraft | undefined;
	const judge = () => {
		const written = readWrittenRoute(paths, from, draft.source);
		refuseConflict(from, draft, written.entry);
		judged = judgeDraft(name, {draft, written}, surroundings);
		const [problem] = judged.problems;
		if (problem) {
			const {path, message} = problem;
			throw new SvcError(
				'route_refused',
				`Cannot save route "${name}": ${path === '' ? '' : `${path} `}${message}`,
			);
		}

		return judged.entry;
	};

	await (draft.source === 'static'
		? editConfig(
				paths,
				written => {
					const path = pathInConfig(written, from);
					const before = plainAt(written, path);
					return [
						...editsBetween(path, isJsonObject(before) ? before : {}, judge()),
						...renamingOf(path, name),
					];
				},
				{clock},
			)
		: editSubscriptions(
				paths,
				entries => {
					const entry = judge();
					const before = memberOf(entries, name);
					return JSON.stringify(before) === JSON.stringify(entry)
						? entries
						: withEntry(entries, {name, from, entry});
				},
				{clock},
			));
	if (!judged) {
		throw new Error('an edit is a function that is called');
	}

	const file = draft.source === 'static' ? paths.config : subscriptionsText(paths).name;
	return {...judged, file};
}

/** The entries with `entry` added or replaced, in the same place if it is renamed. */
function withEntry(
	entries: JsonObject,
	{name, from, entry}: {readonly name: string; readonly from: string; readonly entry: JsonObject},
): JsonObject {
	return from === name || memberOf(entries, from) === undefined
		? {...entries, [name]: entry}
		: Object.fromEntries(
				Object.entries(entries).map(([key, value]) =>
					key === from ? [name, entry] : [key, value],
				),
			);
}

/** Refuses a draft if its entry has changed since it was opened. */
function refuseConflict(name: string, draft: RouteDraft, entry: WrittenRoute['entry']): void {
	if (draft.fingerprint === noEntry && entry !== undefined) {
		throw new SvcError(
			'route_conflict',
			`Cannot create route "${name}": there is one of that name; choose another`,
		);
	}

	if (fingerprintOf(entry) !== draft.fingerprint) {
		throw new SvcError(
			'route_conflict',
			`Cannot save route "${name}": it was ${entry === undefined ? 'removed' : 'changed'} in the file since it was opened`,
		);
	}
}
