// SPDX-License-Identifier: GPL-2.0-or-later
// For make lint. Names that are used and nowhere defined are tsc's business, as files share theirs.
const markup = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'writeln', 'srcdoc', 'setHTMLUnsafe'];

export default [{
	files: ['**/*.js'],
	languageOptions: { ecmaVersion: 2022, sourceType: 'script' },
	linterOptions: { reportUnusedDisableDirectives: 'error' },
	rules: {
		'no-eval': 'error', 'no-implied-eval': 'error', 'no-new-func': 'error', 'no-script-url': 'error',
		'no-restricted-properties': ['error', ...markup.map((property) => ({ property, message: 'text is never markup here' }))],
		'no-restricted-globals': ['error', 'fetch', 'XMLHttpRequest', 'WebSocket', 'localStorage', 'sessionStorage'],
		eqeqeq: 'error', 'no-var': 'error', 'prefer-const': 'error', 'no-shadow': 'error',
		'no-unreachable': 'error', 'no-fallthrough': 'error', 'no-dupe-keys': 'error', 'no-dupe-else-if': 'error',
		'no-self-compare': 'error', 'no-self-assign': 'error', 'no-sparse-arrays': 'error', 'no-loss-of-precision': 'error',
		'no-constant-condition': 'error', 'no-cond-assign': 'error', 'no-unsafe-finally': 'error', 'no-useless-escape': 'error',
		'no-control-regex': 'error', 'use-isnan': 'error', 'valid-typeof': 'error', 'no-throw-literal': 'error',
		'array-callback-return': 'error', 'no-async-promise-executor': 'error', 'require-atomic-updates': 'error',
	},
}];
