import {expect, test} from 'vitest';
import type {RouteView} from '../../../source/core/config-view.ts';
import type {ServerView} from '../../../source/core/tool-server.ts';
import {loginAlarm} from '../../../source/tui/shell/create-banners.ts';
import {makeRun} from '../../helpers/make.ts';

const server = (name: string) =>
	({name, profile: 'default', status: 'needs login'}) as unknown as ServerView;

const route = (name: string, toolsets?: readonly string[]) =>
	({name, profile: 'default', ...(toolsets && {toolsets})}) as unknown as RouteView;

const working = (name: string) => makeRun({route: name, state: 'running'});

test.for([
	[
		'routes that name none have the tools of every server',
		undefined,
		'1 run is under way without it',
	],
	['one that names the server wants it', ['mcp-billing'], '1 run is under way without it'],
	['one that names others does not', ['mcp-files'], undefined],
	['one that has no tools at all does not', [], undefined],
] as const)('%s', ([, toolsets, said]) => {
	const text = loginAlarm({
		servers: [server('billing')],
		runs: [working('hook')],
		routes: [route('hook', toolsets)],
	});
	expect(text?.includes(said ?? '')).toBe(said === undefined ? undefined : true);
});

test('others are counted only where a run would have their tools', () => {
	const text = loginAlarm({
		servers: [server('billing'), server('files')],
		runs: [working('hook')],
		routes: [route('hook', ['mcp-billing'])],
	});
	expect(text).toContain('! billing needs a login');
	expect(text).not.toContain('(+1)');
});
