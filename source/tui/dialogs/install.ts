import {escapeLine} from '../../core/untrusted.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {close, closing, defineWizard, step} from '../acts/dialog.ts';
import {sheetScrolling} from '../acts/seen-sheet.ts';
import {keyRow, typedRow} from '../approvals/sheet-footer.ts';
import {saveKeys} from '../forms/form-keys.ts';
import {line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {
	installChoice,
	installConfirm,
	installRename,
	openInstall,
	sheetOf,
	type InstallSheet,
} from './install-sheet.ts';
import {ofText} from './wizard.ts';

function install(shell: Shell, {link, review}: InstallSheet, typedName?: string): void {
	const {name} = review;
	close(shell);
	shell.guard.gone();
	shell.attempt(async () => {
		await shell.port.installServer({link, name, ...(typedName !== undefined && {typedName})});
		shell.toast(safe`${escapeLine(name)} is installed, untrusted; svc connects to it`, 'good');
	});
}

/** Installs a remote server at once; for a program, first asks for its name to be typed. */
function installChosen(shell: Shell): void {
	const {sheet} = installChoice.now(shell) ?? {};
	if (sheet?.review.kind === 'program') {
		installConfirm.open(shell, {sheet, text: lineText()}, said);
	} else if (sheet) {
		install(shell, sheet);
	}
}

function installNamed(shell: Shell): void {
	const {sheet, text} = installConfirm.now(shell) ?? {};
	if (sheet && text?.value === sheet.review.name) {
		install(shell, sheet, text.value);
	} else if (sheet) {
		shell.toast(safe`Not installed: its name is ${escapeLine(sheet.review.name)}`, 'warn');
	}
}

/** Removes the toast of the step before, which would hide this step's keys. */
const said = {toast: undefined};

function askForOther(shell: Shell): void {
	const {sheet} = installChoice.now(shell) ?? {};
	if (sheet) {
		const {name, freeName = name} = sheet.review;
		installRename.open(shell, {sheet, text: lineText(freeName)}, said);
	}
}

function rename(shell: Shell): void {
	const {sheet, text} = installRename.now(shell) ?? {};
	if (!sheet || !text) {
		return;
	}

	const {link} = sheet;
	shell.attempt(async () => {
		const review = await shell.port.reviewInstall({link, name: text.value.trim()});
		const now = installRename.now(shell);
		// Another name needs all of the sheet to be seen again. A check that was overtaken by leaving or more typing changes nothing.
		if (now?.sheet.link === link && now.text.value === text.value) {
			openInstall(shell, {...sheet, review});
		}
	});
}

function back(shell: Shell): void {
	const {sheet} = installConfirm.now(shell) ?? installRename.now(shell) ?? {};
	if (sheet) {
		installChoice.open(shell, {sheet}, said);
	}
}

function drop(shell: Shell): void {
	const {waiting} = installChoice.now(shell)?.sheet ?? {};
	close(shell);
	shell.toast(literal('Nothing was installed'), 'warn');
	if (waiting !== undefined) {
		shell.attempt(async () => {
			await shell.port.dismissInstall(waiting);
		});
	}
}

const choosing = sheetOf(installChoice, ({sheet: {review}}, {locked}) => {
	const {kind, name, exists} = review;
	const asks = kind === 'program' ? literal(' (asks for its name)') : empty;
	const waits = locked === undefined ? empty : safe` · ${locked}`;
	return [
		exists
			? keyRow(literal('a'), literal('that name is taken: n gives it another one'), 'quiet')
			: keyRow(
					literal('a'),
					safe`install ${escapeLine(name)}${asks}${waits}`,
					locked === undefined ? 'plain' : 'quiet',
				),
		keyRow(literal('n'), literal('give it another name')),
		keyRow(literal('d'), literal('drop the link, install nothing')),
	];
});

const confirming = sheetOf(installConfirm, ({text}, {width, locked}) => [
	line(literal('    this lets a program run on this machine, as you'), 'warn'),
	line(
		safe`    type the server's name to install it, then enter · ${locked ?? literal('Esc goes back')}`,
	),
	typedRow(text, width),
]);

const renaming = sheetOf(installRename, ({text}, {width}) => [
	line(literal('    another name: letters, digits, ".", "_", "-"; then enter · Esc goes back')),
	typedRow(text, width),
]);

const sheets = [choosing, confirming, renaming];

const {moving, inText} = sheetScrolling(
	'install',
	(shell, rows) => {
		for (const {scroll} of sheets) {
			scroll(shell, rows);
		}
	},
	{layoutOf: shell => sheets.map(({layoutOf}) => layoutOf(shell)).find(Boolean), hint: 'page-down'},
);

const choice = step(installChoice, {
	...choosing.record,
	commands: [
		onKeys(['install.yes', ...saveKeys], literal('install it'), {
			changes: true,
			quiet: true,
			isGuarded: true,
			when: shell => installChoice.now(shell)?.sheet.review.exists === false,
			run: installChosen,
		}),
		onKeys(['install.rename', 'n'], literal('give it another name'), {
			changes: true,
			quiet: true,
			run: askForOther,
		}),
		onKeys(['install.drop', 'd'], literal('drop the link'), {
			changes: true,
			quiet: true,
			run: drop,
		}),
		closing('install', ['esc', 'ctrl+c', 'q'], literal('install nothing now')),
		...moving,
	],
});

const confirm = step(installConfirm, {
	...confirming.record,
	typesApart: true,
	line: {...ofText(), mustBeTyped: () => true},
	commands: [
		onKeys(['install-text.confirm', 'enter'], literal('install, when the name is right'), {
			changes: true,
			isGuarded: true,
			run: installNamed,
		}),
	],
});

const other = step(installRename, {
	...renaming.record,
	typesApart: true,
	line: ofText(),
	commands: [
		onKeys(['install-text.rename', 'enter'], literal('take this name'), {
			changes: true,
			run: rename,
		}),
	],
});

const keys = [
	...inText,
	onKeys(['install-text.back', 'esc', 'ctrl+c'], literal('back'), {
		scope: 'install-text',
		run: back,
	}),
];

/** The steps of the sheet for install links. Keys that install are guarded. */
export const installDialogs = defineWizard('install', {title: 'Install link', keys}, [
	choice,
	confirm,
	other,
]);
