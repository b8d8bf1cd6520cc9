import {expect, test} from 'vitest';
import {clientsOfEvents} from '../../source/config/code-host-events.ts';

test.each([
	{events: ['pull_request'], cli: 'gh', clients: ['gh']},
	{events: ['pull_request'], cli: 'tea', clients: ['tea']},
	{events: ['issue_comment'], cli: 'glab', clients: ['gh']},
	{events: ['Merge Request Hook'], cli: 'gh', clients: ['glab']},
	{events: ['note'], cli: '/opt/bin/glab', clients: ['/opt/bin/glab']},
	{events: ['pull_request', 'Merge Request Hook'], cli: 'gh', clients: ['glab', 'gh']},
	// Every event of whatever host: the configured client is the only hint.
	{events: [], cli: 'glab', clients: ['glab']},
	{events: [], cli: 'tea', clients: ['tea']},
])(
	'diffs of events $events, with forge.cli $cli, are got with $clients',
	({events, cli, clients}) => {
		expect(clientsOfEvents(events, cli)).toEqual(clients);
	},
);
