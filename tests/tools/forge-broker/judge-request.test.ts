import {array, assert, constantFrom, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {judgeRequest} from '../../../source/tools/forge-broker/judge-request.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const github = {host: 'github.com', owner: 'acme', name: 'shop'};
const enterprise = {host: 'code.example', owner: 'acme', name: 'shop'};
const rest = 'https://api.github.com/repos/acme/shop';

test.for([
	['GET', '/repos/acme/shop', rest],
	['HEAD', '/repos/acme/shop', rest],
	['GET', '/repos/ACME/Shop/pulls/1', `${rest}/pulls/1`],
	[
		'GET',
		'/repos/acme/shop/pulls/1/files?per_page=100&page=2',
		`${rest}/pulls/1/files?per_page=100&page=2`,
	],
	['GET', '/repos/acme/shop/contents/a%20b.txt?ref=main', `${rest}/contents/a%20b.txt?ref=main`],
	['GET', '/repos/acme/shop/actions/runs', `${rest}/actions/runs`],
	['GET', '/repos/acme/shop/compare/main...topic', `${rest}/compare/main...topic`],
	['GET', '/repos/acme/shop/issues/1/comments', `${rest}/issues/1/comments`],
	['POST', '/repos/acme/shop/issues/1/comments', undefined],
	['PATCH', '/repos/acme/shop', undefined],
	['DELETE', '/repos/acme/shop', undefined],
	['OPTIONS', '/repos/acme/shop', undefined],
	['GET', '/repos/acme/shop/forks', undefined],
	['GET', '/repos/acme/shop/Forks?sort=newest', undefined],
	['GET', '/repos/acme/shop/%66orks', undefined],
	['GET', '/repos/acme/shop/compare/main...other:main', undefined],
	['GET', '/repos/acme/shop/compare/main...other%3Amain', undefined],
	['GET', '/repos/acme/shop/issues/1/timeline', undefined],
	['GET', '/repos/acme/shop/issues/1/sub_issues', undefined],
	['GET', '/repos/acme/shop/hooks', undefined],
	['GET', '/repos/acme/shop/secret-scanning/alerts', undefined],
	['GET', '/repos/acme/shop/codespaces', undefined],
	['GET', '/repos/acme/shop/actions/organization-secrets', undefined],
	['GET', '/repos/acme/shop/environments/prod/variables', undefined],
	['GET', '/repos/acme/shop/security-advisories', undefined],
	['GET', '/repos/acme/shop/dependabot/alerts', undefined],
	['GET', '/repos/acme/shop/invitations', undefined],
	['GET', '/repos/acme/shop/forks.json', undefined],
	['GET', '/repos/acme/shop/hooks%20', undefined],
	['GET', '/repos/acme/shop/issues/1/timeline.json', undefined],
	['GET', '/repos/acme/shop/contents/%252e%252e/x', undefined],
	['GET', '/repos/acme/shop/issues/1', `${rest}/issues/1`],
	['GET', '/repos/acme/shop/issues', `${rest}/issues`],
	['GET', '/repos/acme/shop/readme', `${rest}/readme`],
	['GET', '/repos/acme/shop2', undefined],
	['GET', '/repos/acme', undefined],
	['GET', '/repos/other/shop', undefined],
	['GET', '/repos/acme/shop/../other', undefined],
	['GET', '/repos/acme/shop/%2e%2e/other', undefined],
	['GET', '/repos/acme/shop/%2E%2e%2fother', undefined],
	['GET', '/repos/acme/shop%2f..%2fother/pulls', undefined],
	['GET', '/repos/acme/shop/a%5cb', undefined],
	['GET', '/repos/acme/shop/a%00', undefined],
	['GET', '/repos/acme/shop/a%zz', undefined],
	['GET', '/repos/acme/shop//pulls', undefined],
	['GET', '/repos/acme/shop/', undefined],
	['GET', '//repos/acme/shop', undefined],
	['GET', '/./repos/acme/shop', undefined],
	['GET', '/user', undefined],
	['GET', '/', undefined],
	['GET', '/search/issues?q=repo:acme/shop', undefined],
	['GET', '/repositories/1/pulls', undefined],
	['GET', '/orgs/acme', undefined],
	['GET', '/graphql', undefined],
	['GET', '/graphql?query={viewer{login}}', undefined],
	['POST', '/graphql?query=%7Bviewer%7Blogin%7D%7D', undefined],
	['POST', '/graphql/', undefined],
	['POST', '/api/graphql', undefined],
	['GET', 'https://api.github.com/repos/acme/shop', undefined],
	['GET', '/repos/acme/shop/pulls#/../', undefined],
	['GET', '/api/v3/repos/acme/shop', undefined],
] as const)('%s %s: %s', ([method, url, expected]) => {
	const verdict = judgeRequest({method, url, host: 'api.github.com'}, github);

	expect(verdict).toMatchObject(
		expected === undefined ? {kind: 'refused'} : {kind: 'rest', url: expected},
	);
});

test.for([
	[
		'/api/v3/repos/acme/shop/pulls',
		'code.example',
		'https://code.example/api/v3/repos/acme/shop/pulls',
	],
	['/repos/acme/shop/pulls', 'code.example', undefined],
	['/api/v4/repos/acme/shop', 'code.example', undefined],
	['/api/v3/repos/acme/shop', 'api.github.com', undefined],
	['/api/v3/repos/acme/shop', 'other.example', undefined],
	['/api/v3/repos/acme/shop', '', undefined],
] as const)('an enterprise server: %s of %s: %s', ([url, host, expected]) => {
	const verdict = judgeRequest({method: 'GET', url, host}, enterprise);

	expect(verdict).toMatchObject(
		expected === undefined ? {kind: 'refused'} : {kind: 'rest', url: expected},
	);
});

test('GraphQL is where each kind of server has it', () => {
	expect(judgeRequest({method: 'POST', url: '/graphql', host: 'api.github.com'}, github)).toEqual({
		kind: 'graphql',
		url: 'https://api.github.com/graphql',
	});
	expect(
		judgeRequest({method: 'POST', url: '/api/graphql', host: 'code.example'}, enterprise),
	).toEqual({kind: 'graphql', url: 'https://code.example/api/graphql'});
});

const git = 'https://github.com/acme/shop.git';

test.for([
	[
		'GET',
		'/acme/shop.git/info/refs?service=git-upload-pack',
		`${git}/info/refs?service=git-upload-pack`,
	],
	[
		'GET',
		'/Acme/SHOP/info/refs?service=git-upload-pack',
		`${git}/info/refs?service=git-upload-pack`,
	],
	['POST', '/acme/shop.git/git-upload-pack', `${git}/git-upload-pack`],
	['GET', '/acme/shop.git/info/refs?service=git-receive-pack', undefined],
	['GET', '/acme/shop.git/info/refs', undefined],
	['GET', '/acme/shop.git/info/refs?service=git-upload-pack&service=git-receive-pack', undefined],
	['POST', '/acme/shop.git/git-receive-pack', undefined],
	['POST', '/acme/shop.git/info/lfs/objects/batch', undefined],
	['GET', '/acme/shop.git/HEAD', undefined],
	['GET', '/acme/shop.wiki.git/info/refs?service=git-upload-pack', undefined],
	['GET', '/other/shop.git/info/refs?service=git-upload-pack', undefined],
	['GET', '/acme/other.git/info/refs?service=git-upload-pack', undefined],
	['GET', '/acme/shop.git/../other.git/info/refs?service=git-upload-pack', undefined],
	['GET', '/repos/acme/shop', undefined],
] as const)('git: %s %s: %s', ([method, url, expected]) => {
	const verdict = judgeRequest({method, url, host: '127.0.0.1:3129'}, github);

	expect(verdict).toMatchObject(
		expected === undefined ? {kind: 'refused'} : {kind: 'git', url: expected},
	);
});

const piece = oneof(
	constantFrom(
		'/',
		'repos',
		'acme',
		'shop',
		'..',
		'.',
		'%2e',
		'%2f',
		'%5c',
		'?',
		'#',
		'@',
		':',
		'forks',
		'other',
		'//',
		'\\',
	),
	string({maxLength: 3, unit: 'binary'}),
);

test('whatever is allowed is below the one repository, as URL parsers read it, too', () => {
	assert(
		property(array(piece, {maxLength: 10}), pieces => {
			const verdict = judgeRequest(
				{method: 'GET', url: `/repos/acme/shop${pieces.join('')}`, host: 'api.github.com'},
				github,
			);
			const {origin, pathname, hash, username} = new URL(
				verdict.kind === 'refused' ? rest : verdict.url,
			);
			expect([origin, hash, username]).toEqual(['https://api.github.com', '', '']);
			expect(pathname).toMatch(/^\/repos\/acme\/shop(?:$|\/[^/])/);
			expect(decodeURIComponent(pathname)).not.toMatch(
				/\/\.\.?(?:\/|$)|^\/repos\/acme\/shop\/forks(?:\/|$)/,
			);
		}),
		{numRuns: propertyRuns(4000)},
	);
});
