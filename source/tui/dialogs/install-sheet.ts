import type {InstallReview} from '../../core/install.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import {safe} from '../../terminal/text/safe.ts';
import {dialogState} from '../acts/dialog.ts';
import {seenSheet} from '../acts/seen-sheet.ts';
import {tooEarly} from '../acts/sheet.ts';
import type {SeenParts} from '../approvals/seen-rows.ts';
import type {Shell} from '../shell/shell.ts';
import type {Size} from '../state/view.ts';
import {layoutInstall, type InstallLayout} from './install-layout.ts';

/** What the sheet asks for now. */
export type InstallStep =
	| {readonly kind: 'choose'}
	/** The server's name is typed, where it is a program that would run here. */
	| {readonly kind: 'confirm'; readonly text: LineText}
	/** Another name than the link's. */
	| {readonly kind: 'rename'; readonly text: LineText};

/** An install link that a person decides on. */
export type InstallSheet = {
	readonly link: string;
	readonly review: InstallReview;
	/** `WaitingInstall.id` of a link that was opened elsewhere. */
	readonly waiting?: number;
	readonly step: InstallStep;
	/** The first row that is shown. */
	readonly top: number;
	/** What of it has been on the screen. */
	readonly seen: SeenParts;
};

/** What the guard calls a sheet as it is shown: anything else has to be drawn anew before a key may install. */
export const installName = ({review, step}: InstallSheet, {columns, rows}: Size): string =>
	`install ${review.name} ${step.kind} ${columns}x${rows}`;

/** A tool server from a link. */
export const installSheet = dialogState<{readonly sheet: InstallSheet}>('install');

/** The sheet that is open; `undefined` when there is none. */
export const installNow = (shell: Pick<Shell, 'view'>): InstallSheet | undefined =>
	installSheet.now(shell)?.sheet;

/** How the open sheet looks at a time. */
export function installLayout(
	shell: Shell,
	sheet: InstallSheet,
	at = shell.clock.monotonic(),
): InstallLayout {
	const {size} = shell.view.get();
	return layoutInstall({
		sheet,
		size,
		height: shell.layout().bodyHeight,
		waitMs: shell.guard.waitMs(installName(sheet, size)),
		at,
	});
}

/** Opens the sheet of a link. Nothing may be installed before all of it is drawn. */
export function openInstall(
	shell: Shell,
	{link, review, waiting}: {link: string; review: InstallReview; waiting?: number | undefined},
): void {
	shell.guard.asked();
	installSheet.open(
		shell,
		{
			sheet: {
				link,
				review,
				...(waiting !== undefined && {waiting}),
				step: {kind: 'choose'},
				top: 0,
				seen: {},
			},
		},
		{field: undefined, toast: undefined},
	);
}

export const {
	change: changeInstall,
	goTo: goToInstallStep,
	scroll: scrollInstall,
	noteShown: noteInstallShown,
} = seenSheet(installSheet, {
	nameOf: installName,
	layoutOf(shell) {
		const sheet = installNow(shell);
		return sheet && installLayout(shell, sheet);
	},
});

/** Whether this key press may install: as for what an approval allows. A press that may not says why, and puts the next one off. */
export function mayInstall(shell: Shell, press: KeyEvent): boolean {
	const sheet = installNow(shell);
	if (!sheet || shell.layout().isTooSmall) {
		return false;
	}

	const {locked, verdict} = installLayout(shell, sheet, press.t);
	if (
		locked === undefined &&
		shell.guard.permits(installName(sheet, shell.view.get().size), press)
	) {
		return true;
	}

	shell.guard.disturbed(press.t);
	shell.toast(
		locked !== undefined && verdict.kind === 'unseen'
			? safe`Not everything was on the screen: ${locked}`
			: tooEarly,
		'warn',
	);
	return false;
}
