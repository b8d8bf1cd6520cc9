import {expect, test} from 'vitest';
import {reduce} from '../../source/core/reduce.ts';
import {initialState} from '../../source/core/state.ts';
import type {ServerView} from '../../source/core/tool-server.ts';
import {makeServer} from '../helpers/make-server.ts';

const changed = (server: ServerView) => ({type: 'server-changed', at: 1, server}) as const;

const placesIn = (servers: readonly ServerView[]) =>
	servers.map(({profile, name, status}) => `${profile}/${name} ${status}`);

test('servers stand by profile, the gateway’s own first, and by name', () => {
	const {servers} = reduce(initialState, [
		changed(makeServer({name: 'zoo'})),
		changed(makeServer({profile: 'acme', name: 'a'})),
		changed(makeServer({name: 'crm', status: 'connecting'})),
		changed(makeServer({name: 'crm', status: 'connected'})),
	]);

	expect(placesIn(servers)).toEqual([
		'default/crm connected',
		'default/zoo connected',
		'acme/a connected',
	]);
});

test('a removed server goes; one of the same name in another profile stays', () => {
	const before = reduce(initialState, [
		changed(makeServer({name: 'crm'})),
		changed(makeServer({profile: 'acme', name: 'crm'})),
	]);

	const {servers} = reduce(before, [
		{type: 'server-removed', at: 2, profile: 'default', name: 'crm'},
	]);

	expect(placesIn(servers)).toEqual(['acme/crm connected']);
});

test('without an event of theirs the list stays the same object', () => {
	const before = reduce(initialState, [changed(makeServer())]);

	expect(reduce(before, [{type: 'gateway-stopping', at: 2}]).servers).toBe(before.servers);
});
