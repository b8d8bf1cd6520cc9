import {
	array,
	assert,
	constant,
	constantFrom,
	dictionary,
	jsonValue,
	oneof,
	property,
	string,
} from 'fast-check';
import {expect, test} from 'vitest';
import {stringify} from 'yaml';
import {expandServer} from '../../source/config/expand-server.ts';
import {contextVariables} from '../../source/config/server-references.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {createTemporaryHome, problemsOf} from './temporary-home.ts';

const keys = constantFrom(
	...'command args env url headers ssl_verify client_cert client_key enabled timeout connect_timeout protocol supports_parallel_tool_calls skip_preflight transport keepalive_interval lazy idle_timeout_seconds max_lifetime_seconds lifecycle tools auth oauth sampling elicitation trust include exclude resources prompts client_id cimd client_metadata_url max_rpm allowed_models constructor toString unknown'.split(
		' ',
	),
);

/** Stands wherever a text is, so that a message that shows values is found out. */
const marked = constant('s3cr3t-value');

const values = oneof(
	{weight: 3, arbitrary: marked},
	constantFrom<unknown>(
		true,
		false,
		0,
		-1,
		1e308,
		null,
		'oauth',
		'sse',
		'http://a.example/mcp',
		'${X}',
		'[1',
		"it's",
		'',
		'full',
		'legacy',
		[],
		{},
		['s3cr3t-value', 's3cr3t-value'],
	),
	string({unit: 'binary', maxLength: 10}),
	jsonValue({maxDepth: 2}),
);

const entries = oneof(
	dictionary(keys, oneof(values, dictionary(keys, values), array(values)), {maxKeys: 8}),
	values,
);

const context = contextVariables({HOME: '/home/ada'}, '/work');

test('junk below `mcp_servers` never throws, stands in its place and is shown in no message', () => {
	using home = createTemporaryHome();
	assert(
		property(dictionary(oneof(keys, string()), entries, {maxKeys: 3}), servers => {
			const config = stringify({mcp_servers: servers});
			const lines = config.split('\n').length;
			const loaded = home.load({config});
			const problems = loaded.ok ? loaded.config.problems : loaded.problems;
			expect(problems.filter(({line}) => line < 1 || line > lines)).toEqual([]);
			// What stands where one of a few words can stand is shown: it is a misspelt word.
			const shown = problemsOf(loaded).filter(line => !line.includes(' is not known'));
			expect(shown.join('\n')).not.toContain('s3cr3t');
			for (const server of loaded.ok ? loaded.config.toolServers.values() : []) {
				const expanded = expandServer(server, {environment: {X: 's3cr3t-variable'}, context});
				expect(expanded.ok ? '' : expanded.message).not.toContain('s3cr3t');
			}
		}),
		{numRuns: propertyRuns(400)},
	);
});
