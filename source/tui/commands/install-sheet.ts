import type {InstallReview} from '../../core/install.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {safe} from '../../terminal/text/safe.ts';
import {change} from '../acts/navigate.ts';
import {changeOverlay} from '../acts/overlay-state.ts';
import {tooEarly} from '../acts/sheet.ts';
import {arming} from '../approvals/guard.ts';
import {seeRows, type AskedParts} from '../approvals/seen-rows.ts';
import {layoutInstall, type InstallLayout} from '../install/install-layout.ts';
import {installName, type InstallSheet, type InstallStep} from '../install/install-sheet.ts';
import type {Shell} from '../shell/shell.ts';

/** The sheet that is open; `undefined` when there is none. */
export function installNow({view}: Pick<Shell, 'view'>): InstallSheet | undefined {
	const {overlay} = view.get();
	return overlay?.kind === 'install' ? overlay.sheet : undefined;
}

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
	change(shell, {
		overlay: {
			kind: 'install',
			sheet: {
				link,
				review,
				...(waiting !== undefined && {waiting}),
				step: {kind: 'choose'},
				top: 0,
				seen: {},
			},
		},
		field: undefined,
		toast: undefined,
	});
}

/** Changes the sheet that is open. */
export const changeInstall = (shell: Shell, part: Partial<InstallSheet>): void => {
	changeOverlay(shell, 'install', overlay => ({...overlay, sheet: {...overlay.sheet, ...part}}));
};

/** Goes to another step; what was said of the one before must not hide the keys of this one. */
export const goToInstallStep = (shell: Shell, step: InstallStep): void => {
	shell.view.set(state => ({...state, toast: undefined}));
	changeInstall(shell, {step});
};

/** Tells the guard that the sheet stands on the screen, and remembers what of it was there. */
export function noteInstallShown(
	shell: Shell,
	{of, asked}: {readonly of: string; readonly asked: AskedParts},
): void {
	const sheet = installNow(shell);
	if (!sheet || installName(sheet, shell.view.get().size) !== of) {
		return;
	}

	shell.guard.shown(of);
	const at = shell.clock.monotonic();
	const seen = {...sheet.seen};
	for (const [part, text] of Object.entries(asked)) {
		if (text) {
			seen[part] = seeRows(sheet.seen[part], text, at);
		}
	}

	if (Object.keys(asked).some(part => seen[part] !== sheet.seen[part])) {
		changeInstall(shell, {seen});
		shell.guard.awaits(at + arming.drawnMs);
	}
}

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
			: tooEarly(shell),
		'warn',
	);
	return false;
}
