import {endOf, type ApiKey} from '../../../core/api-keys/api-key.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {openKeyForm, showKey} from '../../acts/key.ts';
import {openMenu} from '../../acts/overlay-state.ts';
import {askForName} from '../../acts/type-name.ts';
import {keyList} from '../../entries/key-list.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';

const selected = ({list}: Pick<Shell, 'list'>): ApiKey | undefined => list(keyList).selected();

const nameOf = ({name, id}: ApiKey): string => (name === '' ? id : name);

function notNow(shell: Shell): Safe | undefined {
	const key = selected(shell);
	if (!key) {
		return literal('No key is selected');
	}

	const end = endOf(key, shell.clock.now());
	return end && safe`${clean(nameOf(key))} is ${clean(end)}: make another one with a`;
}

const withSelected =
	(act: (shell: Shell, key: ApiKey) => void) =>
	(shell: Shell): void => {
		const key = selected(shell);
		if (key) {
			act(shell, key);
		}
	};

const gone = literal('That key has ended, or is not there any more');

const hourMs = 3_600_000;

function chooseOverlap(shell: Shell, key: ApiKey): void {
	const entry = (of: string, label: Safe, overlapMs: number) => ({
		key: of,
		label,
		run() {
			shell.attempt(async () => {
				const minted = await shell.port.rotateKey(key.id, {overlapMs});
				if (minted) {
					showKey(shell, minted, {isRotated: true});
				} else {
					shell.toast(gone, 'warn');
				}
			});
		},
	});
	openMenu(shell, {
		title: safe`New secret for ${clean(nameOf(key))}`,
		notes: [
			literal('The new secret is shown once. How long does the old one pass beside it?'),
			...(key.retiring
				? [literal('A rotation is under way: the secret before the last ends now.')]
				: []),
		],
		items: [
			entry('d', literal('a day'), 24 * hourMs),
			entry('w', literal('a week'), 7 * 24 * hourMs),
			entry(
				'n',
				literal('not at all: whoever uses it is answered 401 until they have the new one'),
				0,
			),
		],
	});
}

function askToRevoke(shell: Shell, key: ApiKey): void {
	askForName(shell, {
		title: safe`Revoke ${clean(nameOf(key))}?`,
		lines: [
			safe`${clean(key.hint)} passes no more, for good; requests under way end at once.`,
			...(key.lastUsedAt === undefined ? [literal('It was never used.')] : []),
		],
		name: nameOf(key),
		other: key.id,
		act: literal('revoke it'),
		run() {
			shell.attempt(async () => {
				const revoked = await shell.port.revokeKey(key.id);
				shell.toast(
					revoked ? safe`${clean(nameOf(key))} is revoked` : gone,
					revoked ? 'good' : 'warn',
				);
			});
		},
	});
}

function copyMenu(shell: Shell, key: ApiKey): void {
	const copy = (of: string, label: Safe, text: string) => ({
		key: of,
		label,
		run() {
			shell.attempt(async () => copyText(shell, text, label));
		},
	});
	const {api} = shell.feed.get().state;
	openMenu(shell, {
		title: safe`Copy of ${clean(nameOf(key))}`,
		notes: [literal('The key itself was shown once, and is kept nowhere.')],
		items: [
			copy('i', literal('identifier'), key.id),
			copy('k', literal('its first and last characters'), key.hint),
			...(api?.state === 'listening'
				? [copy('u', literal('base URL of the chat API'), `${api.url}/v1`)]
				: []),
		],
	});
}

const why = (shell: Shell) => (selected(shell) ? undefined : literal('No key is selected'));

/** What can be done in the pane of keys. */
export const keyPaneCommands: readonly PaneCommand[] = [
	{
		id: 'keys.add',
		changes: true,
		keys: ['a'],
		label: literal('make a key'),
		run: openKeyForm,
	},
	{
		id: 'keys.rotate',
		changes: true,
		keys: ['R'],
		label: literal('rotate'),
		why: notNow,
		run: withSelected(chooseOverlap),
	},
	{
		id: 'keys.revoke',
		changes: true,
		keys: ['D'],
		label: literal('revoke'),
		why: notNow,
		run: withSelected(askToRevoke),
	},
	{id: 'keys.copy', keys: ['y'], label: literal('copy'), why, run: withSelected(copyMenu)},
];
