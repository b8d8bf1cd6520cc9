import {expect, test} from 'vitest';
import {createInputFrontend} from '../../../source/terminal/input/input-frontend.ts';
import {whoAmI} from '../../../source/terminal/who-am-i.ts';
import {watchFocus} from '../../../source/tui/approvals/guard.ts';
import {newSheet} from '../../../source/tui/approvals/sheet.ts';
import {createShell} from '../../../source/tui/shell/create-shell.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakeLogins} from '../../helpers/fake-logins.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {createFakeTerminal} from '../../helpers/fake-terminal.ts';
import {createFakeDesktop} from '../../helpers/show-shell.tsx';

const open = () => {
	const clock = createFakeClock();
	const shell = createShell(
		{port: createFakePort(), logins: createFakeLogins(), clock, desktop: createFakeDesktop()},
		{size: {columns: 80, rows: 24}, theme: 'dark', ssh: false, version: '1.0'},
	);
	const keyboard = createFakeTerminal();
	const frontend = createInputFrontend(keyboard.stream, {clock});
	frontend.stdin.setRawMode(true);
	const reports: boolean[] = [];
	const stop = watchFocus(shell, {
		frontend,
		modes: {setFocusReports: isOn => reports.push(isOn)},
	});
	return {
		clock,
		shell,
		keyboard,
		reports,
		[Symbol.dispose]() {
			stop();
			frontend[Symbol.dispose]();
			shell[Symbol.dispose]();
		},
	};
};

test('the terminal reports its focus only while a sheet is open', () => {
	using setup = open();
	const {shell, reports} = setup;
	shell.view.set(state => ({
		...state,
		overlay: {kind: 'approval', sheet: newSheet(1, {kind: 'choose'})},
	}));
	shell.view.set(state => ({...state, overlay: undefined}));

	expect(reports).toEqual([true, false]);
});

test.for([
	['the window got the focus', '\u001B[I', 300],
	['a click', '\u001B[<0;10;5M', 500],
] as const)('%s puts off what a key may allow', ([, bytes, delayMs]) => {
	using setup = open();
	const {shell, clock, keyboard} = setup;
	shell.guard.shown('1');
	clock.advance(5000);
	expect(shell.guard.permits('1', {t: 5000, alone: true})).toBe(true);
	keyboard.type(bytes);

	expect(shell.guard.permits('1', {t: 5000 + delayMs - 1, alone: true})).toBe(false);
	expect(shell.guard.permits('1', {t: 5000 + delayMs, alone: true})).toBe(true);
});

test('who answers is the user, as far as it is known, without controls', () => {
	expect(whoAmI({USER: 'ann\u001B[2J'})).toMatch(/^tui \(ann␛\[2J(?:, .+)?\)$/);
	expect(whoAmI({})).toMatch(/^tui(?: \(.+\))?$/);
});
