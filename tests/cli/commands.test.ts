import {Command} from 'commander';
import {expect, test} from 'vitest';
import {addCommands, commandGroups} from '../../source/cli/commands/commands.ts';
import type {Context} from '../../source/cli/console/context.ts';
import {systemClock} from '../../source/core/clock.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing runs
const context = {clock: systemClock} as Context;

const namesOf = (program: Command) => program.commands.map(command => command.name());

const addedFor = (...argv: readonly string[]) => {
	const program = new Command('svc');
	addCommands(program, context, argv);
	return namesOf(program);
};

test.for(commandGroups)('$names are the commands that their group adds', ({names, add}) => {
	const program = new Command('svc');
	add(program, context);
	expect(namesOf(program)).toEqual(names);
});

test('a start makes the commands that its words may mean, and all of them for help and for what is unknown', () => {
	const program = new Command('svc');
	addCommands(program, context);
	const all = namesOf(program);
	const alone = ['demo-part', 'keymap'];

	expect(addedFor()).toEqual(alone);
	expect(addedFor('--linear')).toEqual(alone);
	expect(addedFor('gateway', 'run')).toEqual(['gateway', ...alone]);
	expect(addedFor('-p', 'runs', 'gateway', 'run')).toEqual(['gateway', 'runs', ...alone]);
	for (const argv of [['--help'], ['-h'], ['gatway'], ['help', 'runs'], ['__complete', 'ru']]) {
		expect(addedFor(...argv)).toEqual(all);
	}
});
