import type {WaitingInstall} from '../../core/install.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {literal} from '../../terminal/text/safe.ts';
import {inScope, onKeys, type Command} from '../acts/command.ts';
import {closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {placeNow, type StillHere} from '../acts/place.ts';
import {blankLine, line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {lineDialog, titled, type AskedLine} from './box.ts';
import {openInstall} from './install-sheet.ts';

/** The dialog that asks for an install link. */
const installLink = dialogState<AskedLine>('install-link');

/** The install links that wait for a person, oldest first. */
const waitingInstalls = ({feed, clock}: Shell): readonly WaitingInstall[] =>
	(feed.get().state.installs ?? []).filter(({expiresAt}) => expiresAt > clock.now());

type OpenedLink = {readonly link: string; readonly waiting?: number};

/** Opens a link's sheet, unless the person has moved on by then. */
async function openReview(
	shell: Shell,
	{link, waiting}: OpenedLink,
	isStillHere: StillHere,
): Promise<void> {
	const review = await shell.port.reviewInstall({link});
	if (isStillHere(literal('The link was not opened'))) {
		openInstall(shell, {link, review, waiting});
	}
}

function reviewWaiting(shell: Shell): void {
	const [first] = waitingInstalls(shell);
	const isStillHere = placeNow(shell, literal('I'));
	shell.attempt(async () => {
		const offered = (await shell.port.listInstalls()).find(({id}) => id === first?.id);
		if (offered) {
			await openReview(shell, {link: offered.link, waiting: offered.id}, isStillHere);
		} else {
			shell.toast(literal('That link waits no more'), 'warn');
		}
	});
}

/** Handles a paste into the question: the whole text is the link, however long. */
function pasteLink(shell: Shell, text: string): void {
	const isStillHere = placeNow(shell, literal('/install'));
	shell.attempt(async () => openReview(shell, {link: text.trim()}, isStillHere));
}

/** Commands that open the sheet. */
export const installActs: readonly Command[] = inScope('global', [
	onKeys(['install.review', 'I'], literal('look at the install link that was opened'), {
		scope: 'banner',
		when: shell => waitingInstalls(shell).length > 0,
		run: reviewWaiting,
	}),
	onKeys(['install.paste'], literal('install a tool server from a link (svc://mcp/install)'), {
		changes: true,
		aliases: ['/install'],
		run: shell => installLink.open(shell, {text: lineText()}, {field: undefined}),
	}),
]);

export const installLinkDialog = defineDialog(installLink, {
	title: 'Pasting an install link',
	...lineDialog(
		() => titled(literal('Install a tool server')),
		() => [
			line(literal('  Paste the link here: svc://mcp/install?name=…&config=…')),
			line(literal('  It is shown whole before anything is installed.'), 'quiet'),
			blankLine,
		],
	),
	paste: pasteLink,
	commands: [
		onKeys(['install-link.review', 'enter'], literal('look at it'), {
			run: shell => pasteLink(shell, installLink.now(shell)?.text.value ?? ''),
		}),
		closing('install-link', ['esc', 'ctrl+c']),
	],
});
