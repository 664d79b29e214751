import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyOf } from './model-family.ts';

test('a model belongs to the family of its maker and line, with any version and suffixes', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    Auto: ['auto', 'default', 'Auto', ''],
    'Claude Opus': ['claude-opus-5-thinking-high', 'claude-4-opus', 'us.anthropic.claude-opus-4-1'],
    'Claude Sonnet': ['claude-4.5-sonnet-thinking', 'anthropic.claude-sonnet-4', 'Claude-3.7-Sonnet'],
    'Claude Haiku': ['claude-haiku-4-5'],
    Claude: ['claude-2', 'anthropic/claude-instant'],
    'GPT Codex': ['gpt-5-codex', 'gpt-5.1-codex-max', 'codex-mini'],
    GPT: ['gpt-5.6-sol-high', 'gpt-4o', 'chatgpt-4o-latest', 'openai.gpt-oss-120b'],
    'OpenAI o-series': ['o1', 'o3-pro', 'o4-mini-high', 'openai/o3'],
    'Gemini Flash': ['gemini-2.5-flash', 'gemini-3-flash-preview'],
    'Gemini Pro': ['gemini-2.5-pro-preview-05-06'],
    Gemini: ['gemini-exp-1206', 'gemini-prototype'],
    Composer: ['composer-2.5-fast', 'cursor-composer-1'],
    'Cursor other': ['cheetah', 'cursor-small', 'code-supernova-1-million'],
    Grok: ['grok-4.6-high', 'grok-code-fast-1'],
    DeepSeek: ['deepseek-v3.1', 'accounts/fireworks/models/deepseek-r1'],
    Kimi: ['kimi-k2-instruct'],
    GLM: ['glm-4.6'],
    Qwen: ['qwen3-coder'],
    Mistral: ['mistral-large', 'devstral-small'],
    Llama: ['llama-4-maverick'],
    'Review bot': ['bugbot', 'agent_review'],
    Other: ['unknown', 'something-new', '__proto__'],
  };
  for (const [family, models] of Object.entries(cases)) {
    for (const model of models) assert.equal(familyOf(model), family, model);
  }
});
