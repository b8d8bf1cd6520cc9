import {codeOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import type {RouteDefinition} from '../../core/route-editor.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {placeNow, type StillHere} from '../acts/place.ts';
import {openMenu, type MenuItem} from '../dialogs/questions.ts';
import type {Shell} from '../shell/shell.ts';
import {changeDraft, onTopOf} from './draft.ts';
import {editJson} from './edit-as-json.ts';
import {editorNow} from './editor-state.ts';
import {closeEditor, updateDraft} from './refresh.ts';
import {changesBetween} from './shown-value.ts';

/** Reads or writes the route's file. If somebody else changed it meanwhile, the person chooses what to keep, unless they have moved on. */
export function attemptOnFile(shell: Shell, act: (isStillHere: StillHere) => Promise<void>): void {
	const isStillHere = placeNow(shell, literal('a'), () => {
		const {draft, place, find} = editorNow(shell) ?? {};
		return [draft, place, find];
	});
	shell.attempt(async () => {
		try {
			await act(isStillHere);
		} catch (error) {
			const {draft} = editorNow(shell) ?? {};
			if (codeOf(error) !== 'route_conflict' || draft?.isNew !== false) {
				throw error;
			}

			const {name, from, source} = draft;
			const theirs = await shell.port.readRoute(from, {source});
			const title = safe`${escapeLine(name)} was ${theirs ? literal('changed') : literal('removed')} in its file meanwhile`;
			if (isStillHere(title)) {
				openMenu(shell, {
					title,
					notes: [
						literal('Nothing was written, and nothing of yours is lost.'),
						...(theirs ? bothChanges(shell, theirs) : []),
					],
					items: choicesOf(shell, theirs),
				});
			}
		}
	});
}

/** The changes of others since the route was read, and those made here, setting by setting: old → new. */
function bothChanges(shell: Shell, theirs: RouteDefinition): readonly Safe[] {
	const {draft, fields} = editorNow(shell) ?? {};
	if (!draft || !fields) {
		return [];
	}

	const rows = (title: Safe, after: JsonObject) => {
		const changes = changesBetween(fields, draft.base, after);
		return compact([
			literal(' '),
			title,
			changes.length === 0 && literal('  nothing that the form shows: a secret, or another key'),
			...changes.slice(0, maxChanges),
			changes.length > maxChanges &&
				safe`  … ${changes.length - maxChanges} more: b shows all of both`,
		]);
	};
	return [
		...rows(literal('They changed:'), theirs.definition),
		...rows(literal('You changed:'), draft.definition),
	];
}

const maxChanges = 4;

/** The choices after another writer changed or removed the route; Esc leaves the form as it is. */
function choicesOf(shell: Shell, theirs: RouteDefinition | undefined): readonly MenuItem[] {
	return theirs
		? [
				item('m', literal('keep mine: on top of what is in the file now'), () =>
					keepMine(shell, theirs),
				),
				item('t', literal('take theirs: yours go (u brings them back)'), () =>
					takeTheirs(shell, theirs),
				),
				item('b', literal('open both in $EDITOR'), () => openBoth(shell, theirs)),
			]
		: [item('t', literal('take theirs: leave, the route is gone'), () => closeEditor(shell))];
}

const item = (key: string, label: Safe, run: () => void): MenuItem => ({key, label, run});

/** Keeps the changes made here, and takes everything else from the file. */
function keepMine(shell: Shell, theirs: RouteDefinition): void {
	updateDraft(shell, draft => onTopOf(draft, theirs));
	shell.toast(literal('Your changes stand on top of theirs; a shows what that changes'));
}

/** Discards the changes made here. */
function takeTheirs(shell: Shell, {definition, fingerprint}: RouteDefinition): void {
	updateDraft(shell, draft => ({
		...changeDraft(draft, {definition}),
		base: definition,
		fingerprint,
	}));
}

/** Opens both versions in the person's editor; its `result` becomes the draft. */
function openBoth(shell: Shell, theirs: RouteDefinition): void {
	const {draft} = editorNow(shell) ?? {};
	if (!draft) {
		return;
	}

	const {definition} = onTopOf(draft, theirs);
	editJson(
		shell,
		{result: definition, mine: draft.definition, theirs: theirs.definition},
		{
			read: value => (isJsonObject(value['result']) ? value['result'] : undefined),
			before: () => keepMine(shell, theirs),
		},
	);
}
