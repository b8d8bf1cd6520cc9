import {writeSync} from 'node:fs';
import {Box, render, useApp, useWindowSize} from 'ink';
import {useState} from 'react';
import {systemClock} from '../../../source/core/clock.ts';
import {escapeLine} from '../../../source/core/untrusted.ts';
import {createInputFrontend} from '../../../source/terminal/input/input-frontend.ts';
import {createTerminalModes, resetAtExit} from '../../../source/terminal/modes.ts';
import {editText} from '../../../source/terminal/suspend.ts';
import {literal} from '../../../source/terminal/text/safe.ts';
import {InputContext, useKeys} from '../../../source/tui/input/use-keys.ts';
import {T} from '../../../source/tui/text/t.tsx';

/** A small program over the real plumbing: shows keys, opens the editor on `e`, ends on `q`, on `!` badly. */
const frontend = createInputFrontend(process.stdin, {clock: systemClock});
const modes = createTerminalModes(sequence => {
	process.stdout.write(sequence);
});

function Keys() {
	const {columns, rows} = useWindowSize();
	const {exit, suspendTerminal} = useApp();
	const [seen, setSeen] = useState<readonly string[]>([]);
	const edit = async () => {
		const edited = await editText(
			{
				suspend: suspendTerminal,
				modes,
				directory: process.env['SVC_TEST_DIRECTORY'] ?? '',
				environment: process.env,
			},
			process.env['EDITOR'] ?? '',
			{text: 'old', suffix: '.txt'},
		);
		setSeen([...seen, `edited:${edited ?? 'nothing'}`]);
	};

	useKeys(
		({id}) => {
			if (id === 'q') {
				exit();
			} else if (id === 'e') {
				void edit();
			} else if (id === '!') {
				// oxlint-disable-next-line unicorn/no-process-exit -- what the last net is for
				process.exit(9);
			} else {
				setSeen([...seen, id]);
			}

			return true;
		},
		({text}) => {
			setSeen([...seen, `pasted:${text}`]);
			return true;
		},
	);
	return (
		<Box width={columns} height={rows} flexDirection="column" overflow="hidden">
			<T>{literal('ready')}</T>
			<T>{escapeLine(seen.join(' '))}</T>
		</Box>
	);
}

resetAtExit(process, 1, modes);
frontend.onEnd(() => {
	instance.unmount();
});
modes.setTitle('svc test');
modes.setMouse('wheel');
const instance = render(
	<InputContext value={frontend}>
		<Keys />
	</InputContext>,
	{
		stdin: frontend.stdin,
		alternateScreen: true,
		incrementalRendering: true,
		interactive: true,
		maxFps: 60,
		exitOnCtrlC: false,
	},
);
await instance.waitUntilExit();
modes[Symbol.dispose]();
frontend[Symbol.dispose]();
writeSync(1, 'left\n');
