import {expect, test} from 'vitest';
import {outputMode, type OutputSituation} from '../../../source/cli/lines/output-mode.ts';

const terminal = {stdinIsTty: true, stdoutIsTty: true, environment: {TERM: 'xterm-256color'}};

test.for<[string, Partial<OutputSituation>, string]>([
	['a terminal', {}, 'tui'],
	['no terminal on stdin', {stdinIsTty: false}, 'none'],
	['no terminal on stdout', {stdoutIsTty: false}, 'none'],
	['a pipe and a dumb terminal', {stdoutIsTty: false, environment: {TERM: 'dumb'}}, 'none'],
	['a pipe in CI', {stdoutIsTty: false, environment: {CI: 'true'}}, 'none'],
	['--output compact', {output: 'compact'}, 'compact'],
	['--output screen with NO_COLOR', {output: 'screen', environment: {NO_COLOR: '1'}}, 'tui'],
	['--output screen without a terminal', {output: 'screen', stdoutIsTty: false}, 'none'],
	['--output json into a pipe', {output: 'json', stdoutIsTty: false}, 'json'],
	['--output quiet without any terminal', {output: 'quiet', stdinIsTty: false}, 'quiet'],
	['TERM=dumb', {environment: {TERM: 'dumb'}}, 'compact'],
	['CI=true', {environment: {CI: 'true'}}, 'compact'],
	['CI=1', {environment: {CI: '1'}}, 'compact'],
	['CI=false', {environment: {CI: 'false'}}, 'tui'],
	['CI=0', {environment: {CI: '0'}}, 'tui'],
	['CI empty', {environment: {CI: ''}}, 'tui'],
	['CONTINUOUS_INTEGRATION', {environment: {CONTINUOUS_INTEGRATION: 'yes'}}, 'compact'],
	['NO_COLOR=1', {environment: {NO_COLOR: '1'}}, 'compact'],
	['NO_COLOR=0, which is set', {environment: {NO_COLOR: '0'}}, 'compact'],
	['NO_COLOR empty', {environment: {NO_COLOR: ''}}, 'tui'],
	['a screen reader', {environment: {SVC_SCREEN_READER: '1'}}, 'linear'],
	['the screen reader of Ink', {environment: {INK_SCREEN_READER: 'true'}}, 'linear'],
	[
		'a screen reader on a dumb terminal',
		{environment: {SVC_SCREEN_READER: '1', TERM: 'dumb'}},
		'linear',
	],
	['--linear on a dumb terminal', {linear: true, environment: {TERM: 'dumb', CI: '1'}}, 'linear'],
	['--linear into a pipe', {linear: true, stdoutIsTty: false}, 'linear'],
	['SVC_SCREEN_READER=0', {environment: {SVC_SCREEN_READER: '0'}}, 'tui'],
	[
		'--output screen with a screen reader',
		{output: 'screen', environment: {SVC_SCREEN_READER: '1'}},
		'tui',
	],
])('%s: %j gives %s', ([, situation, expected]) => {
	expect(outputMode({...terminal, ...situation})).toBe(expected);
});
