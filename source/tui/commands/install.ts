import type {WaitingInstall} from '../../core/install.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {change} from '../acts/navigate.ts';
import {changeOverlay, close, closing} from '../acts/overlay-state.ts';
import {placeNow, type StillHere} from '../acts/place.ts';
import type {InstallStep} from '../install/install-sheet.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {installMoving} from './install-moving.ts';
import {goToInstallStep, installNow, openInstall} from './install-sheet.ts';

/** The links that wait for a person, the oldest first. */
export const waitingInstalls = ({
	feed,
	clock,
}: Pick<Shell, 'feed' | 'clock'>): readonly WaitingInstall[] =>
	(feed.get().state.installs ?? []).filter(({expiresAt}) => expiresAt > clock.now());

/** Opens the sheet of a link, unless the person has gone on by then. */
async function openReview(
	shell: Shell,
	{
		link,
		waiting,
		isStillHere,
	}: {readonly link: string; readonly waiting?: number; readonly isStillHere: StillHere},
): Promise<void> {
	const reviewed = await shell.port.reviewInstall({link});
	if (isStillHere(literal('The link was not opened'))) {
		openInstall(shell, {link, review: reviewed, waiting});
	}
}

function reviewWaiting(shell: Shell): void {
	const [first] = waitingInstalls(shell);
	const isStillHere = placeNow(shell, literal('I'));
	shell.attempt(async () => {
		const offered = (await shell.port.listInstalls()).find(({id}) => id === first?.id);
		if (offered) {
			await openReview(shell, {link: offered.link, waiting: offered.id, isStillHere});
		} else {
			shell.toast(literal('That link waits no more'), 'warn');
		}
	});
}

/** Asks for a link, which is pasted. */
function askForLink(shell: Shell): void {
	change(shell, {overlay: {kind: 'install-link', text: lineText()}, field: undefined});
}

/** What a paste into the question for a link is: the link, however long. */
export function pasteLink(shell: Shell, text: string): void {
	const isStillHere = placeNow(shell, literal('/install'));
	shell.attempt(async () => openReview(shell, {link: text.trim(), isStillHere}));
}

const at = (shell: Shell, kind: InstallStep['kind']): boolean =>
	installNow(shell)?.step.kind === kind;

function install(shell: Shell, typedName?: string): void {
	const sheet = installNow(shell);
	if (!sheet) {
		return;
	}

	const {link, review} = sheet;
	close(shell);
	shell.guard.gone();
	shell.attempt(async () => {
		await shell.port.installServer({
			link,
			name: review.name,
			...(typedName !== undefined && {typedName}),
		});
		shell.toast(safe`${clean(review.name)} is installed, untrusted; svc connects to it`, 'good');
	});
}

function installNamed(shell: Shell): void {
	const sheet = installNow(shell);
	if (sheet?.step.kind !== 'confirm') {
		return;
	}

	const {value} = sheet.step.text;
	if (value === sheet.review.name) {
		install(shell, value);
	} else {
		shell.toast(safe`Not installed: its name is ${clean(sheet.review.name)}`, 'warn');
	}
}

function rename(shell: Shell): void {
	const sheet = installNow(shell);
	if (sheet?.step.kind !== 'rename') {
		return;
	}

	const {link, waiting, step} = sheet;
	shell.attempt(async () => {
		const renamed = await shell.port.reviewInstall({link, name: step.text.value.trim()});
		// Another name is another question: all of it has to be seen again.
		if (installNow(shell)?.link === link) {
			openInstall(shell, {link, review: renamed, waiting});
		}
	});
}

function drop(shell: Shell): void {
	const {waiting} = installNow(shell) ?? {};
	close(shell);
	shell.toast(literal('Nothing was installed'), 'warn');
	if (waiting !== undefined) {
		shell.attempt(async () => {
			await shell.port.dismissInstall(waiting);
		});
	}
}

/** How the sheet is reached. */
export const installActs: readonly Command[] = [
	{
		id: 'install.review',
		scope: 'banner',
		keys: ['I'],
		label: literal('look at the install link that was opened'),
		when: shell => waitingInstalls(shell).length > 0,
		run: reviewWaiting,
	},
	{
		id: 'install.paste',
		changes: true,
		scope: 'global',
		keys: [],
		label: literal('install a tool server from a link (svc://mcp/install)'),
		aliases: ['/install'],
		run: askForLink,
	},
];

/** Keys of the sheet for install links. The one that installs is guarded: see `mayInstall`. */
export const installCommands: readonly Command[] = [
	{
		id: 'install.yes',
		changes: true,
		scope: 'install',
		keys: ['i'],
		label: literal('install it'),
		quiet: true,
		isGuarded: true,
		when: shell => at(shell, 'choose') && installNow(shell)?.review.exists === false,
		run(shell) {
			if (installNow(shell)?.review.kind === 'program') {
				goToInstallStep(shell, {kind: 'confirm', text: lineText()});
			} else {
				install(shell);
			}
		},
	},
	{
		id: 'install.rename',
		changes: true,
		scope: 'install',
		keys: ['n'],
		label: literal('give it another name'),
		quiet: true,
		run(shell) {
			const {name, freeName = name} = installNow(shell)?.review ?? {};
			goToInstallStep(shell, {kind: 'rename', text: lineText(freeName)});
		},
	},
	{
		id: 'install.drop',
		changes: true,
		scope: 'install',
		keys: ['d'],
		label: literal('drop the link'),
		quiet: true,
		run: drop,
	},
	closing('install', ['esc', 'ctrl+c', 'q'], literal('install nothing now')),
	...installMoving,
	{
		id: 'install-text.confirm',
		changes: true,
		scope: 'install-text',
		keys: ['enter'],
		label: literal('install, when the name is right'),
		isGuarded: true,
		when: shell => at(shell, 'confirm'),
		run: installNamed,
	},
	{
		id: 'install-text.rename',
		changes: true,
		scope: 'install-text',
		keys: ['enter'],
		label: literal('take this name'),
		when: shell => at(shell, 'rename'),
		run: rename,
	},
	{
		id: 'install-text.back',
		scope: 'install-text',
		keys: ['esc', 'ctrl+c'],
		label: literal('back'),
		run(shell) {
			goToInstallStep(shell, {kind: 'choose'});
		},
	},
	{
		id: 'install-link.review',
		scope: 'install-link',
		keys: ['enter'],
		label: literal('look at it'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (overlay?.kind === 'install-link') {
				pasteLink(shell, overlay.text.value);
			}
		},
	},
	closing('install-link', ['esc', 'ctrl+c']),
];

/** Changes the line that is typed on the sheet, or in the question for a link; `false` where there is none. */
export function changeInstallLine(
	shell: Shell,
	update: (line: ReturnType<typeof lineText>) => ReturnType<typeof lineText>,
): boolean {
	const {overlay} = shell.view.get();
	if (overlay?.kind === 'install-link') {
		changeOverlay(shell, 'install-link', ({text, ...rest}) => ({...rest, text: update(text)}));
		return true;
	}

	const step = installNow(shell)?.step;
	if (step === undefined || step.kind === 'choose') {
		return false;
	}

	goToInstallStep(shell, {...step, text: update(step.text)});
	return true;
}
