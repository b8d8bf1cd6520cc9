import {lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {close, closing, defineDialog} from '../acts/dialog.ts';
import {sheetScrolling} from '../acts/seen-sheet.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {
	goToInstallStep,
	installLayout,
	installName,
	installNow,
	installSheet,
	mayInstall,
	noteInstallShown,
	openInstall,
	scrollInstall,
	type InstallStep,
} from './install-sheet.ts';

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

const {moving, inText} = sheetScrolling('install', scrollInstall, {
	layoutOf: shell => installLayout(shell),
	hint: 'page-down',
});

/** The sheet for install links. The key that installs is guarded. */
export const installDialog = defineDialog(installSheet, {
	title: 'Install link',
	typesApart: true,
	page({sheet}, shell) {
		const layout = installLayout(shell);
		return layout
			? {
					...layout,
					rows: layout.content,
					asked: {of: installName(sheet, shell.view.get().size), asked: layout.asked},
				}
			: {title: [], rows: [], top: 0};
	},
	shown: noteInstallShown,
	line: {
		get: ({sheet: {step}}) => (step.kind === 'choose' ? undefined : step.text),
		set: ({sheet}, text) => ({
			sheet: {...sheet, ...(sheet.step.kind !== 'choose' && {step: {...sheet.step, text}})},
		}),
		mustBeTyped: ({sheet}) => sheet.step.kind === 'confirm',
	},
	guard: mayInstall,
	isWatched: true,
	commands: [
		onKeys('install.yes', ['i'], {
			changes: true,
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
		}),
		onKeys('install.rename', ['n'], {
			changes: true,
			label: literal('give it another name'),
			quiet: true,
			run(shell) {
				const {name, freeName = name} = installNow(shell)?.review ?? {};
				goToInstallStep(shell, {kind: 'rename', text: lineText(freeName)});
			},
		}),
		onKeys('install.drop', ['d'], {
			changes: true,
			label: literal('drop the link'),
			quiet: true,
			run: drop,
		}),
		closing('install', ['esc', 'ctrl+c', 'q'], literal('install nothing now')),
		...moving,
		...inText,
		onKeys('install-text.confirm', ['enter'], {
			changes: true,
			scope: 'install-text',
			label: literal('install, when the name is right'),
			isGuarded: true,
			when: shell => at(shell, 'confirm'),
			run: installNamed,
		}),
		onKeys('install-text.rename', ['enter'], {
			changes: true,
			scope: 'install-text',
			label: literal('take this name'),
			when: shell => at(shell, 'rename'),
			run: rename,
		}),
		onKeys('install-text.back', ['esc', 'ctrl+c'], {
			scope: 'install-text',
			label: literal('back'),
			run(shell) {
				goToInstallStep(shell, {kind: 'choose'});
			},
		}),
	],
});
